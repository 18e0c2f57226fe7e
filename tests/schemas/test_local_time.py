"""Local clock times become UTC by PEP 495, and every time that a clock change touches is noted."""

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windrow.schemas.errors import WrongParameter
from windrow.schemas.instants import read_time, us_of_ns
from windrow.schemas.local_time import MISSING, REPEATED, LocalClock, day_starts_us

NEW_YORK = LocalClock("America/New_York")
ZONES = ("America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "America/Havana", "America/Sao_Paulo", "UTC")
HOUR_US = 3_600_000_000


def utc_us(*moment: int) -> int:
    return (datetime(*moment, tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def test_a_repeated_time_has_two_readings_and_a_missing_one_the_offset_before_the_change_both_noted():
    once = utc_us(2018, 8, 1, 10, 40, 33, 361_000)
    assert NEW_YORK.read("2018-08-01 06:40:33.3610") == (once, once, None)
    first, second, note = NEW_YORK.read("2018-11-04 01:30:00")
    assert (first, second - first, note) == (utc_us(2018, 11, 4, 5, 30), HOUR_US, REPEATED)
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


@pytest.mark.parametrize("text", [
    "", "2018-08-01", "2018-08-01T06:40:33", "2018-08-01 6:40:33", "2018-8-1 06:40:33", "2018-08-01 24:00:00",
    "2018-02-30 06:40:33", "2018-13-01 12:00:00", "2018-08-01 06:60:33", "2018-08-01 06:40:60", "2018-08-01 06:40:33.",
    "2018-08-01 06:40:33.1234567", "2018-08-01 06:40:33+02", "٢٠١٨-08-01 06:40:33", "0000-01-01 06:40:33",
    "2018-08-01 06:40:33.3a", " 2018-08-01 06:40:33",
])  # fmt: skip
def test_anything_else_is_refused_with_its_text(text):
    with pytest.raises(ValueError, match=f"^{re.escape(repr(text))}"):
        NEW_YORK.read(text)


def test_a_time_with_an_offset_is_an_instant_and_other_texts_are_refused_with_their_value():
    assert read_time("1970-01-01T02:00:01.25+02:00") == read_time("1970-01-01 00:00:01.25Z") == 1_250_000
    assert read_time("1969-12-31T23:59:59.75-0000") == -250_000
    for text in (
        "1970-01-01T00:00:01", "1970-01-01", "1970-01-01T24:00:00Z", "1970-02-30T00:00:00Z", "1970-W01-1T00:00:00Z",
        "1970-01-01T00:00:60Z", "1970-01-01T00:00:00.Z", "1970-01-01T00:00:00,5Z", "",
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"^{re.escape(repr(text))}"):
            read_time(text)


@given(st.integers(-(10**18), 4 * 10**18), st.sampled_from(["Z", "+05:30", "-0800"]))
def test_nanoseconds_have_one_rule_wherever_they_come_in(ns, offset):
    """Whole microseconds are read; else the value is refused, unless the layout asks for a rounding."""
    seconds, beyond_ns = divmod(ns, 10**9)
    local = datetime(1970, 1, 1) + timedelta(seconds=seconds)
    text = f"{local:%Y-%m-%d %H:%M:%S}.{beyond_ns:09}"
    shift = datetime.fromisoformat(f"1970-01-01 00:00:00{offset}").utcoffset() // timedelta(microseconds=1)
    entrances = (
        lambda **rounded: LocalClock("UTC", **rounded).read(text)[0],
        lambda **rounded: read_time(text + offset, **rounded) + shift,
        lambda **rounded: us_of_ns(ns, **rounded),
    )
    for read in entrances:
        assert (read(round="down"), read(round="nearest")) == (ns // 1_000, (ns + 500) // 1_000)
        if ns % 1_000 == 0:
            assert read() == ns // 1_000
        else:
            with pytest.raises(ValueError, match=f"({re.escape(text)}|{ns} ns).*has a fraction of a microsecond"):
                read()


def test_a_rounding_is_one_of_two():
    with pytest.raises(WrongParameter, match="round is 'up'; allowed: None"):
        LocalClock("UTC", round="up")


def test_days_have_23_24_and_25_hours_in_new_york():
    def hours(first, last):
        midnights = day_starts_us("America/New_York", first, last)
        return [(after - before) / HOUR_US for before, after in zip(midnights, midnights[1:], strict=False)]

    assert hours(date(2018, 3, 10), date(2018, 3, 13)) == [24, 23, 24]
    assert hours(date(2018, 11, 3), date(2018, 11, 6)) == [24, 25, 24]


def test_a_day_starts_at_the_change_where_midnight_is_left_out_and_at_the_first_where_it_is_repeated():
    assert day_starts_us("America/Sao_Paulo", date(2018, 11, 4), date(2018, 11, 4)) == [utc_us(2018, 11, 4, 3)]
    assert day_starts_us("America/Havana", date(2018, 11, 4), date(2018, 11, 4)) == [utc_us(2018, 11, 4, 4)]


def test_a_day_may_begin_elsewhere_than_at_midnight_and_a_time_left_out_is_read_by_the_offset_before():
    days = day_starts_us("America/New_York", date(2024, 3, 9), date(2024, 3, 11), time(2, 30))
    assert days == [utc_us(2024, 3, 9, 7, 30), utc_us(2024, 3, 10, 7, 30), utc_us(2024, 3, 11, 6, 30)]
    assert day_starts_us("America/New_York", date(2018, 11, 4), date(2018, 11, 4), time(1)) == [utc_us(2018, 11, 4, 5)]


def test_a_day_that_a_zone_left_out_has_length_zero():
    first, left_out, after = day_starts_us("Pacific/Apia", date(2011, 12, 29), date(2011, 12, 31))
    assert (left_out - first, after - left_out) == (24 * HOUR_US, 0)
