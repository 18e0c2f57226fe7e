"""The gate lists the windows of a calendar itself: those that the oracle finds by trying all that are near."""

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.gate.recount.kinds._calendar import calendar_windows
from schemas.query import month, sliding, tumbling, week
from tests.support.oracle.windows import windows_around

HOUR, DAY, HOUR_US = timedelta(hours=1), timedelta(days=1), 3_600_000_000
WINDOWS = {
    "months": lambda zone: month(zone=zone),
    "quarters from February at six": lambda zone: month(3, datetime(2024, 2, 1, 6), zone),
    "weeks": week,
    "days from six": lambda zone: tumbling(DAY, datetime(2024, 3, 1, 6), zone),
    "days from half past two": lambda zone: sliding(2 * DAY, DAY, datetime(2024, 3, 1, 2, 30), zone),
    "parts of days from six": lambda zone: sliding(8 * HOUR, 3 * HOUR, datetime(2024, 3, 1, 6), zone),
    "days of a date": lambda zone: sliding(6 * HOUR, 3 * DAY, date(2024, 3, 1), zone),
}


@pytest.mark.parametrize("kind", WINDOWS)
@given(
    zone=st.sampled_from(("America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Apia")),
    # From 1970 to 2037, and the hours around the changes of 2024.
    time_us=st.one_of(st.integers(0, 590_000), st.integers(474_960, 483_000)).map(lambda hours: hours * HOUR_US),
    off_us=st.sampled_from((0, -1, 1, HOUR_US // 2)),
)
def test_the_gate_lists_the_windows_that_the_oracle_finds(kind, zone, time_us, off_us):
    window, at_us = WINDOWS[kind](zone), time_us + off_us
    listed = calendar_windows(window, at_us, at_us)
    assert [(start, end) for start, end in listed if start <= at_us < end] == windows_around(at_us, window)
