"""Generated bike trips have the layouts, dirt and disorder of the real ones, and the same bytes each time."""

from datetime import date
from itertools import accumulate
from pathlib import Path

import pytest

from samples import bikes as sample
from schemas.parsing import read_line
from schemas.stream import Record
from schemas.streams.bikes import STREAM
from tests.support.lines import choose_layout, lines_of

LAST_DAY = date(2018, 11, 5)  # the clocks went back on the 4th
DAY_US = 86_400_000_000
DAILY_FILES = ("bikes/generated-nyc/trips-*", "bikes/generated-nyc/trips-2018-11-04*")


@pytest.fixture(scope="module")
def landing(tmp_path_factory) -> Path:
    """Four days of generated trips."""
    into = tmp_path_factory.mktemp("landing")
    sample.write(into, days=4, last_day=LAST_DAY, seed=7, trips_per_day=4_000)
    return into


def parse(path: Path, landing: Path) -> list:
    first_line, *lines = lines_of(path)
    layout = choose_layout(STREAM, str(path.relative_to(landing)), first_line)
    return [each for line in lines for each in read_line(STREAM, layout, line)]


def trips_of(landing: Path, pattern: str) -> list[list[Record]]:
    """The trips of each file, in the order of its rows."""
    files = sorted(landing.glob(pattern))
    return [[each for each in parse(path, landing) if isinstance(each, Record)] for path in files]


def late_share(trips: list[Record]) -> float:
    newest = accumulate((trip.start_us for trip in trips), max)
    return sum(trip.start_us < before for trip, before in zip(trips[1:], newest, strict=False)) / len(trips)


def descents_share(trips: list[Record]) -> float:
    return sum(after.start_us < before.start_us for before, after in zip(trips, trips[1:], strict=False)) / len(trips)


def column(trip: Record, name: str):
    return trip.values[STREAM.positions[name]]


def test_files_are_named_as_generated_and_a_month_boundary_gives_a_file_per_month(landing, tmp_path):
    paths = sorted(str(path.relative_to(landing)) for path in landing.rglob("*") if path.is_file())
    days = [f"bikes/generated-nyc/trips-2018-11-0{day}.csv.gz" for day in (2, 3, 4, 5)]
    assert paths == ["bikes/generated-jc/JC-201811-generated.csv.gz", "bikes/generated-nyc/stations.csv.gz", *days]
    names = {path.name for path in sample.write(tmp_path, 3, date(2018, 12, 1), 1, 100)}
    assert {"JC-201811-generated.csv.gz", "JC-201812-generated.csv.gz"} <= names


def test_monthly_rows_come_station_by_station_so_that_nearly_all_are_late(landing):
    # Real months: 94.2 to 95.5 % late, 0.3 to 0.6 % descents; fewer days have fewer rows per station.
    [trips] = trips_of(landing, "bikes/generated-jc/JC-*")
    assert 0.7 < late_share(trips) < 0.96
    assert 0.003 < descents_share(trips) < 0.03


def test_daily_rows_come_nearly_in_order_of_start(landing):
    # Real days: 16.6 to 29.0 % late, 12.8 to 19.7 % descents.
    for trips in trips_of(landing, "bikes/generated-nyc/trips-*"):
        assert 0.15 < late_share(trips) < 0.30
        assert 0.12 < descents_share(trips) < 0.28


def test_by_arrival_the_watermark_must_cover_about_what_the_real_trips_need(landing):
    # Real trips: 99 % come within 2,100 to 5,951 s of the newest start; a forgotten bike sets the maximum.
    for trips in trips_of(landing, "bikes/generated-nyc/trips-*"):
        arrived = sorted(trips, key=lambda trip: trip.arrival_us)
        newest = accumulate((trip.start_us for trip in arrived), max)
        lags_s = sorted((before - trip.start_us) / 1e6 for trip, before in zip(arrived, newest, strict=True))
        assert 1_500 < lags_s[int(0.99 * len(lags_s))] < 9_000


@pytest.mark.slow
def test_with_room_for_them_there_are_trips_of_weeks(tmp_path):
    sample.write(tmp_path, days=60, last_day=LAST_DAY, seed=1, trips_per_day=300)
    daily = [trip for trips in trips_of(tmp_path, "bikes/generated-nyc/trips-*") for trip in trips]
    assert max(trip.end_us - trip.start_us for trip in daily) > 7 * DAY_US


def test_daily_files_hold_exact_duplicates_and_monthly_ones_do_not(landing):
    for path in landing.glob("bikes/generated-nyc/trips-*"):
        assert len(lines_of(path)) > len(set(lines_of(path)))
    [monthly] = [lines_of(path) for path in landing.glob("bikes/generated-jc/*")]
    assert len(monthly) == len(set(monthly))


def test_both_layouts_have_trips_of_days_and_in_the_repeated_hour_and_daily_files_unknown_birth_years(landing):
    for pattern, of_november_4 in (("bikes/generated-jc/JC-*",) * 2, DAILY_FILES):
        trips = [trip for trips in trips_of(landing, pattern) for trip in trips]
        assert any(trip.end_us - trip.start_us > DAY_US for trip in trips)
        notes = [column(trip, "clock_note") for trips in trips_of(landing, of_november_4) for trip in trips]
        assert "repeated hour" in notes
    assert 0.08 < sum(column(trip, "birth_year") is None for trip in trips) / len(trips) < 0.24


def test_each_file_has_a_few_bad_lines_for_the_quarantine(landing):
    refused = {
        path.name: sorted(each.reason for each in parse(path, landing) if not isinstance(each, Record))
        for path in landing.glob("bikes/generated-*/*-*")
    }
    assert refused.pop("JC-201811-generated.csv.gz") == ["unreadable", *["wrong column count"] * 2]
    assert len(refused) == 4
    assert all(reasons == ["unreadable", "wrong column count"] for reasons in refused.values())
