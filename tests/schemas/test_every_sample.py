"""Every generator of landing files: named as generated, the same bytes each time, in the layouts of the real ones."""

from datetime import date
from importlib import import_module
from itertools import accumulate
from pathlib import Path

import pytest

from tests.support.processes import python
from windrow.samples import bikes as sample
from windrow.schemas.parsing import belongs, has_header, no_events, read_line
from windrow.schemas.registry import stream
from windrow.schemas.stream import Place, Record, Stream
from windrow.schemas.streams.bikes import STREAM
from windrow.testing.lines import choose_layout, lines_of, side_inputs

ROOT = Path(__file__).parents[2]
LAST_DAY = date(2018, 11, 5)
DAY_US = 86_400_000_000
# What the real files have too: each generator's lines are refused for these reasons.
REASONS = {
    "bikes": {"wrong column count", "unreadable"},
    "cdr": {"wrong column count", "unreadable"},
    "telemetry": {"no value", "too far ahead"},
}
SAMPLES = sorted(path.stem for path in (ROOT / "samples").glob("*.py") if path.stem not in ("__init__", "writing"))


@pytest.fixture(scope="module", params=SAMPLES)
def landing(request, tmp_path_factory) -> tuple[str, Path]:
    """A stream's name, and three days of its generated files."""
    into = tmp_path_factory.mktemp(request.param)
    import_module(f"windrow.samples.{request.param}").write(into, 3, LAST_DAY, 7, 1_000)
    return request.param, into


def readings_of(definition: Stream, into: Path, path: Path, side: dict[str, object]) -> list:
    """What the lines of a file say; nothing if it isn't the stream's."""
    below, lines = path.relative_to(into).as_posix(), lines_of(path)
    if not belongs(definition, below):
        return []
    layout = choose_layout(definition, below, lines[0])
    return [
        each
        for number, line in enumerate(lines, 1)
        if number > 1 or not has_header(layout)
        for each in read_line(definition, layout, line, Place(below, number, side))
    ]


def test_files_are_named_as_generated_and_all_belong_to_the_stream(landing):
    name, into = landing
    paths = [path.relative_to(into).as_posix() for path in into.rglob("*") if path.is_file()]
    assert len(paths) > 3 and all("generated" in path for path in paths)
    assert all(belongs(stream(name), path) or no_events(stream(name), path) for path in paths)


def test_every_layout_of_the_stream_is_made(landing):
    name, into = landing
    files = [path for path in into.rglob("*.gz") if belongs(stream(name), path.relative_to(into).as_posix())]
    made = {choose_layout(stream(name), path.relative_to(into).as_posix(), lines_of(path)[0]).name for path in files}
    assert made == {layout.name for layout in stream(name).layouts}


@pytest.mark.slow
@pytest.mark.few(3)
def test_readings_have_the_dirt_of_the_real_ones_and_nothing_arrives_after_the_last_day(landing):
    definition, into = stream(landing[0]), landing[1]
    side = side_inputs(definition, into)
    found = [each for path in sorted(into.rglob("*.gz")) for each in readings_of(definition, into, path, side)]
    events = [each for each in found if isinstance(each, Record)]
    assert len(events) > 0.8 * len(found)
    assert {each.reason for each in found if not isinstance(each, Record)} == REASONS[landing[0]]
    end_us = ((LAST_DAY - date(1970, 1, 1)).days + 1) * DAY_US
    assert end_us - DAY_US < max(event.arrival_us for event in events) < end_us
    in_order = sorted(events, key=lambda event: event.arrival_us)
    assert any(later.start_us < earlier.start_us for earlier, later in zip(in_order, in_order[1:], strict=False))


@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_arguments_give_the_same_bytes_and_another_seed_does_not(name, tmp_path):
    write = import_module(f"windrow.samples.{name}").write
    made = {into: write(tmp_path / into, 2, LAST_DAY, seed, 100) for into, seed in [("a", 1), ("b", 1), ("c", 2)]}
    first, again, other = ([path.read_bytes() for path in paths] for paths in made.values())
    assert first == again != other


@pytest.mark.slow
@pytest.mark.few(3)
@pytest.mark.parametrize("name", SAMPLES)
def test_the_command_says_what_it_made_and_refuses_no_days(name, tmp_path):
    made, refused = (python("-m", f"windrow.samples.{name}", "--into", tmp_path, "--days", n, cwd=ROOT) for n in (2, 0))
    assert (made.returncode, made.stderr) == (0, "")
    assert "generated files in" in made.stdout
    assert refused.returncode == 2
    assert "Traceback" not in refused.stderr


DAILY_FILES = ("bikes/generated-nyc/trips-*", "bikes/generated-nyc/trips-2018-11-04*")


@pytest.fixture(scope="module")
def bikes_landing(tmp_path_factory) -> Path:
    """Four days of generated trips."""
    into = tmp_path_factory.mktemp("landing")
    sample.write(into, days=4, last_day=LAST_DAY, seed=7, trips_per_day=4_000)
    return into


def trips_of(bikes_landing: Path, pattern: str) -> list[list[Record]]:
    """The trips of each file, in the order of its rows."""
    return [[each for each in readings_of(STREAM, bikes_landing, path, {}) if isinstance(each, Record)]
            for path in sorted(bikes_landing.glob(pattern))]  # fmt: skip


def late_share(trips: list[Record]) -> float:
    newest = accumulate((trip.start_us for trip in trips), max)
    return sum(trip.start_us < before for trip, before in zip(trips[1:], newest, strict=False)) / len(trips)


def descents_share(trips: list[Record]) -> float:
    return sum(after.start_us < before.start_us for before, after in zip(trips, trips[1:], strict=False)) / len(trips)


def column(trip: Record, name: str):
    return trip.values[STREAM.positions[name]]


def test_files_are_named_as_generated_and_a_month_boundary_gives_a_file_per_month(bikes_landing, tmp_path):
    paths = sorted(str(path.relative_to(bikes_landing)) for path in bikes_landing.rglob("*") if path.is_file())
    days = [f"bikes/generated-nyc/trips-2018-11-0{day}.csv.gz" for day in (2, 3, 4, 5)]
    assert paths == ["bikes/generated-jc/JC-201811-generated.csv.gz", "bikes/generated-nyc/stations.csv.gz", *days]
    names = {path.name for path in sample.write(tmp_path, 3, date(2018, 12, 1), 1, 100)}
    assert {"JC-201811-generated.csv.gz", "JC-201812-generated.csv.gz"} <= names


def test_monthly_rows_come_station_by_station_so_that_nearly_all_are_late(bikes_landing):
    # Real months: 94.2 to 95.5 % late, 0.3 to 0.6 % descents; fewer days have fewer rows per station.
    [trips] = trips_of(bikes_landing, "bikes/generated-jc/JC-*")
    assert 0.7 < late_share(trips) < 0.96
    assert 0.003 < descents_share(trips) < 0.03


def test_daily_rows_come_nearly_in_order_of_start(bikes_landing):
    # Real days: 16.6 to 29.0 % late, 12.8 to 19.7 % descents.
    for trips in trips_of(bikes_landing, "bikes/generated-nyc/trips-*"):
        assert 0.15 < late_share(trips) < 0.30
        assert 0.12 < descents_share(trips) < 0.28


def test_by_arrival_the_watermark_must_cover_about_what_the_real_trips_need(bikes_landing):
    # Real trips: 99 % come within 2,100 to 5,951 s of the newest start; a forgotten bike sets the maximum.
    for trips in trips_of(bikes_landing, "bikes/generated-nyc/trips-*"):
        arrived = sorted(trips, key=lambda trip: trip.arrival_us)
        newest = accumulate((trip.start_us for trip in arrived), max)
        lags_s = sorted((before - trip.start_us) / 1e6 for trip, before in zip(arrived, newest, strict=True))
        assert 1_500 < lags_s[int(0.99 * len(lags_s))] < 9_000


@pytest.mark.slow
def test_with_room_for_them_there_are_trips_of_weeks(tmp_path):
    sample.write(tmp_path, days=60, last_day=LAST_DAY, seed=1, trips_per_day=300)
    daily = [trip for trips in trips_of(tmp_path, "bikes/generated-nyc/trips-*") for trip in trips]
    assert max(trip.end_us - trip.start_us for trip in daily) > 7 * DAY_US


def test_daily_files_hold_exact_duplicates_and_monthly_ones_do_not(bikes_landing):
    for path in bikes_landing.glob("bikes/generated-nyc/trips-*"):
        assert len(lines_of(path)) > len(set(lines_of(path)))
    [monthly] = [lines_of(path) for path in bikes_landing.glob("bikes/generated-jc/*")]
    assert len(monthly) == len(set(monthly))


def test_both_layouts_have_trips_of_days_and_in_the_repeated_hour_and_daily_files_unknown_birth_years(bikes_landing):
    for pattern, of_november_4 in (("bikes/generated-jc/JC-*",) * 2, DAILY_FILES):
        trips = [trip for trips in trips_of(bikes_landing, pattern) for trip in trips]
        assert any(trip.end_us - trip.start_us > DAY_US for trip in trips)
        notes = [column(trip, "clock_note") for trips in trips_of(bikes_landing, of_november_4) for trip in trips]
        assert "repeated hour" in notes
    assert 0.08 < sum(column(trip, "birth_year") is None for trip in trips) / len(trips) < 0.24
