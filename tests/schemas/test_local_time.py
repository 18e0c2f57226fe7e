"""Local clock times become UTC by PEP 495, and every time that a clock change touches is noted."""

import re
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.local_time import MISSING, REPEATED, LocalClock, local_midnights_us

NEW_YORK = LocalClock("America/New_York")
ZONES = (
    "America/New_York",
    "Asia/Shanghai",
    "Australia/Lord_Howe",
    "America/Havana",
    "America/Sao_Paulo",
    "UTC",
)
HOUR_US = 3_600_000_000


def utc_us(*moment: int) -> int:
    return (datetime(*moment, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def test_an_ordinary_time_has_one_reading_and_no_note():
    expected = utc_us(2018, 8, 1, 10, 40, 33, 361_000)
    assert NEW_YORK.read("2018-08-01 06:40:33.3610") == (expected, expected, None)


@pytest.mark.parametrize("text", [
    "2018-08-01 24:00:00", "2018-02-30 12:00:00", "2018-13-01 12:00:00", "0000-01-01 00:00:00", "2018-08-01 06:60:00",
    "2018-08-01 06:40:33.", "2018-8-1 06:40:33", "",
])  # fmt: skip
def test_a_time_that_is_none_is_named(text):
    with pytest.raises(ValueError, match=re.escape(repr(text[19:] or text))):
        NEW_YORK.read(text)


def test_a_repeated_time_has_two_readings_an_hour_apart_and_is_noted():
    first, second, note = NEW_YORK.read("2018-11-04 01:30:00")
    assert (first, second - first, note) == (utc_us(2018, 11, 4, 5, 30), HOUR_US, REPEATED)


def test_a_missing_time_is_read_with_the_offset_before_the_change_and_is_noted():
    first, _, note = NEW_YORK.read("2018-03-11 02:30:00")
    assert (first, note) == (utc_us(2018, 3, 11, 7, 30), MISSING)


def test_the_hours_around_the_change_are_not_noted():
    assert [NEW_YORK.read(f"2018-11-04 {hour}")[2] for hour in ("00:59:59.9999", "02:00:00")] == [None, None]
    assert [NEW_YORK.read(f"2018-03-11 {hour}")[2] for hour in ("01:59:59.9999", "03:00:00")] == [None, None]


def test_a_change_of_half_an_hour_is_noted_for_the_half_hour_only():
    clock = LocalClock("Australia/Lord_Howe")  # back by 30 minutes at 02:00 on 2018-04-01
    assert [clock.read(f"2018-04-01 01:{minute}:00")[2] for minute in ("29", "30")] == [None, REPEATED]


@settings(deadline=None)
@given(st.datetimes(datetime(1900, 1, 1), datetime(2100, 1, 1)), st.sampled_from(ZONES))
def test_the_hourly_cache_never_changes_an_answer(naive, zone):
    clock = LocalClock(zone)
    first_us, note = clock.to_utc_us(naive)
    second_us, _ = clock.to_utc_us(naive, fold=1)
    text = f"{naive:%Y-%m-%d %H:%M:%S}.{naive.microsecond:06}"
    assert clock.read(text) == (first_us, second_us, note)


@settings(deadline=None)
@given(st.datetimes(datetime(1971, 1, 1), datetime(2037, 1, 1)), st.sampled_from(ZONES))
def test_a_time_without_note_goes_there_and_back(naive, zone):
    us, note = LocalClock(zone).to_utc_us(naive)
    back = datetime.fromtimestamp(us // 1_000_000, ZoneInfo(zone)).replace(tzinfo=None, fold=0)
    assert note == MISSING or back == naive.replace(microsecond=0)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2018-08-01",
        "2018-08-01T06:40:33",
        "2018-08-01 6:40:33",
        "2018-08-01 24:00:00",
        "2018-02-30 06:40:33",
        "2018-08-01 06:60:33",
        "2018-08-01 06:40:60",
        "2018-08-01 06:40:33.",
        "2018-08-01 06:40:33.1234567",
        "2018-08-01 06:40:33+02",
        "٢٠١٨-08-01 06:40:33",
        "0000-01-01 06:40:33",
        "2018-08-01 06:40:33.3a",
        " 2018-08-01 06:40:33",
    ],
)
def test_anything_else_is_refused_with_its_text(text):
    with pytest.raises(ValueError, match="is not|not match|range|unconverted|day|year"):
        NEW_YORK.read(text)


def test_days_have_23_24_and_25_hours_in_new_york():
    def hours(first, last):
        midnights = local_midnights_us("America/New_York", first, last)
        return [(after - before) / HOUR_US for before, after in zip(midnights, midnights[1:], strict=False)]

    assert hours(date(2018, 3, 10), date(2018, 3, 13)) == [24, 23, 24]
    assert hours(date(2018, 11, 3), date(2018, 11, 6)) == [24, 25, 24]


def test_a_day_starts_at_the_change_where_midnight_is_left_out_and_at_the_first_where_it_is_repeated():
    assert local_midnights_us("America/Sao_Paulo", date(2018, 11, 4), date(2018, 11, 4)) == [utc_us(2018, 11, 4, 3)]
    assert local_midnights_us("America/Havana", date(2018, 11, 4), date(2018, 11, 4)) == [utc_us(2018, 11, 4, 4)]


def test_a_day_that_a_zone_left_out_has_length_zero():
    first, left_out, after = local_midnights_us("Pacific/Apia", date(2011, 12, 29), date(2011, 12, 31))
    assert (left_out - first, after - left_out) == (24 * HOUR_US, 0)
