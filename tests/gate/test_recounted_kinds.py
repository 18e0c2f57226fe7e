"""A window kind is one file of the recount: found by its name, and refused by it where there is none."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import windows as served
from pipelines.gate.checks import checks
from pipelines.gate.recount.kinds import in_sql, kinds
from pipelines.gate.recount.kinds._calendar import calendar_windows
from schemas.errors import NotRecounted
from schemas.query import EMITS, month, sliding, tumbling, week
from schemas.windows import Window, every_kind
from tests.gate.test_dependent_windows import NOT_BY_THEIR_ENDS
from tests.gate.test_dependent_windows import WINDOWS as DEPENDENT
from tests.support.oracle.windows import windows_around
from tests.support.small_lake import asked
from tests.support.small_windows import WINDOWS


def test_every_kind_that_is_served_is_counted_again_and_can_be_asked_for():
    assert list(kinds()) == list(served.kinds())
    assert set(kinds()) <= {kind.kind for kind in every_kind()}


@pytest.mark.parametrize("emit", EMITS)
@pytest.mark.parametrize("kind", WINDOWS)
def test_laws_do_not_apply_to_rolling_windows_with_emit_arrival_only(kind, emit):
    query = asked(kind, emit)
    excepted = in_sql(query.window).exceptions(query)
    is_excepted = kind.startswith("rolling") and emit == "arrival"
    assert set(excepted) == ({"law_3_counts", "law_5_final_rows"} if is_excepted else set())
    assert set(excepted) <= {law.__name__.rpartition(".")[2] for law in checks("audit")}


def test_windows_that_can_not_be_counted_again_are_refused_with_those_that_can():
    @dataclass(frozen=True)
    class Fortnights(Window):
        kind: ClassVar[str] = "fortnights"

    with pytest.raises(NotRecounted, match="fortnights.*rolling, session, slide_by_tuple, sliding, spanning, tumbling"):
        in_sql(Fortnights())


@pytest.mark.parametrize("kind", DEPENDENT)
def test_what_is_not_counted_again_of_windows_that_depend_on_others_each_verdict_says(kind):
    limits = in_sql(DEPENDENT[kind]).limits
    assert set(limits) == {law.__name__.rpartition(".")[2] for law in checks("audit")}
    assert ("passed" in limits["law_4_revisions"]) == (kind in NOT_BY_THEIR_ENDS)


HOUR, DAY, HOUR_US = timedelta(hours=1), timedelta(days=1), 3_600_000_000
CALENDARS = {
    "months": lambda zone: month(zone=zone),
    "quarters from February at six": lambda zone: month(3, datetime(2024, 2, 1, 6), zone),
    "weeks": week,
    "days from six": lambda zone: tumbling(DAY, datetime(2024, 3, 1, 6), zone),
    "days from half past two": lambda zone: sliding(2 * DAY, DAY, datetime(2024, 3, 1, 2, 30), zone),
    "parts of days from six": lambda zone: sliding(8 * HOUR, 3 * HOUR, datetime(2024, 3, 1, 6), zone),
    "days of a date": lambda zone: sliding(6 * HOUR, 3 * DAY, date(2024, 3, 1), zone),
}


@pytest.mark.parametrize("kind", CALENDARS)
@given(
    zone=st.sampled_from(("America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Apia")),
    # From 1970 to 2037, and the hours around the changes of 2024.
    time_us=st.one_of(st.integers(0, 590_000), st.integers(474_960, 483_000)).map(lambda hours: hours * HOUR_US),
    off_us=st.sampled_from((0, -1, 1, HOUR_US // 2)),
)
def test_the_gate_lists_the_windows_that_the_oracle_finds(kind, zone, time_us, off_us):
    window, at_us = CALENDARS[kind](zone), time_us + off_us
    listed = calendar_windows(window, at_us, at_us)
    assert [(start, end) for start, end in listed if start <= at_us < end] == windows_around(at_us, window)
