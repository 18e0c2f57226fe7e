"""What makes a file be parsed again. Its content is read where size or modification time are not what they were, or
when it is asked for; files alongside those with events come, change, are damaged or go. No JVM."""

import os
import time
from datetime import date

import pytest

from tests.support import landings, trips
from tests.support.lakes import ingest, pending, tables_of
from tests.support.landings import BIKES, content_of, path_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.ingest import changes, file_content, files, landing, parse
from windrow.pipelines.ingest import ingest as ingest_module
from windrow.pipelines.ingest.changes import Asked
from windrow.pipelines.storage import FileState
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.errors import LandingFailed

pytestmark = pytest.mark.few_tests(8)

# Of one size, so that only the modification time can show which it is.
FIRST, SECOND = (content_of(BIKES, [trips.trip("2017-06-03 08:00:00", seconds)]) for seconds in (600, 700))
PATH = path_of(BIKES, "a", packed=False)
NS_PER_S = 1_000_000_000


def land(config: Config, content: bytes, age_ns: int) -> int:
    """Write the file as one that was modified so long ago; returns the time."""
    landings.put(config, PATH, content)
    modified_ns = time.time_ns() - age_ns
    os.utime(config.landing / PATH, ns=(modified_ns, modified_ns))
    return modified_ns


def change_unseen(config: Config) -> None:
    """Other content of the same size, and the same time."""
    before = (config.landing / PATH).stat()
    assert len(FIRST) == len(SECOND) == before.st_size
    landings.put(config, PATH, SECOND)
    os.utime(config.landing / PATH, ns=(before.st_mtime_ns, before.st_mtime_ns))


def durations(config: Config) -> list[int]:
    return [row["trip_duration_s"] for row in trips.silver(config)]


@pytest.mark.slow
def test_a_file_of_the_same_size_and_time_is_not_read_unless_asked(config):
    land(config, FIRST, age_ns=10 * NS_PER_S)
    ingest(config, BIKES)
    change_unseen(config)
    assert pending(config, BIKES) == []
    assert ingest(config, BIKES).files == ()
    report = ingest_module.ingest(Lake(config), engine_of(config), tables_of(BIKES), None, Asked(verify_content=True))
    assert [row.path for row in report.files] == [PATH]
    assert durations(config) == [700]


@pytest.mark.slow
def test_a_file_that_could_have_changed_within_the_same_tick_is_read_again(config):
    """Its time is that of the reading, or later: a writer that changes it now may leave it the same."""
    land(config, FIRST, age_ns=-10 * NS_PER_S)
    ingest(config, BIKES)
    assert landings.file_rows(config, BIKES)[PATH].modified_ns is None
    change_unseen(config)
    assert pending(config, BIKES) == [PATH]
    ingest(config, BIKES)
    assert durations(config) == [700]


@pytest.mark.parametrize(("age_ns", "is_believed"), [(file_content.TICK_NS + NS_PER_S // 2, True), (-NS_PER_S, False)])
def test_a_time_is_believed_once_it_is_older_than_a_tick(config, age_ns, is_believed):
    modified_ns = land(config, FIRST, age_ns) | 1  # none of whole seconds
    os.utime(config.landing / PATH, ns=(modified_ns, modified_ns))
    found = file_content.inspect(config.landing, trips.BIKES, trips.TODAY, PATH)
    assert found.modified_ns == (modified_ns if is_believed else None)


@pytest.mark.parametrize(
    ("modified_ns", "tick_ns"),
    [(7 * NS_PER_S + 1, file_content.TICK_NS), (7 * NS_PER_S, file_content.WHOLE_SECONDS_NS)],
)
def test_the_youngest_time_that_is_believed_is_a_tick_and_a_nanosecond_old(modified_ns, tick_ns):
    found = FileState("the file", len(FIRST), modified_ns)
    assert file_content._modified_ns(found, modified_ns + tick_ns) is None
    assert file_content._modified_ns(found, modified_ns + tick_ns + 1) == modified_ns


@pytest.mark.slow
def test_the_same_content_with_another_time_is_remembered_and_nothing_else_is_written(config):
    land(config, FIRST, age_ns=10 * NS_PER_S)
    before = ingest(config, BIKES).snapshot
    touched_ns = land(config, FIRST, age_ns=5 * NS_PER_S)
    assert pending(config, BIKES) == []
    report = ingest(config, BIKES)
    assert report.files == ()
    assert landings.file_rows(config, BIKES)[PATH].modified_ns == touched_ns
    assert {name for name in before.tables if report.snapshot.version(name) != before.version(name)} == {"files_bikes"}
    assert ingest(config, BIKES).snapshot == report.snapshot


@pytest.mark.slow
def test_another_size_with_the_same_time_is_read(config):
    land(config, FIRST, age_ns=10 * NS_PER_S)
    ingest(config, BIKES)
    before = (config.landing / PATH).stat().st_mtime_ns
    landings.put(config, PATH, FIRST + trips.trip("2017-06-03 09:00:00", 60).encode())
    os.utime(config.landing / PATH, ns=(before, before))
    assert pending(config, BIKES) == [PATH]


TELEMETRY, TODAY = registry.stream("telemetry"), date(2024, 5, 1)
OF_TELEMETRY = StreamTables.of(TELEMETRY)
SERIES, DELAYS = "telemetry/nab/made/speed_1.csv", "telemetry/delays/made.txt"


def now(config: Config) -> parse.Definition:
    return parse.definition_now(config.landing, TELEMETRY, landing.listing(config.landing, TELEMETRY), {})


@pytest.fixture
def parsed(config) -> Config:
    """A series that an ingest has parsed, with its delays."""
    trips.write_bytes(config, SERIES, b"timestamp,value\n2015-09-08 11:39:00,73\n")
    trips.write_bytes(config, DELAYS, b"60000\n90500\n")
    found = changes.find(Lake(config), engine_of(config), OF_TELEMETRY, TODAY)
    rows = [changes.replace(row, definition=found.definition.hash) for row in found.rows.values()]
    Lake(config).ensure(OF_TELEMETRY.files)
    files.write_files(Lake(config), OF_TELEMETRY.files, rows)
    return config


def test_the_files_are_known_as_holding_no_events_and_their_lines_are_read(parsed):
    assert parse.read_side_inputs(parsed.landing, TELEMETRY, now(parsed)) == {"delays": (60_000, 90_500)}
    assert files.known_files(Lake(parsed), OF_TELEMETRY.files)[DELAYS].state == files.NO_EVENTS
    assert changes.pending(Lake(parsed), OF_TELEMETRY) == []


def test_other_delays_are_another_definition(parsed):
    trips.write_bytes(parsed, DELAYS, b"60000\n")
    assert changes.pending(Lake(parsed), OF_TELEMETRY) == [DELAYS, SERIES]


def test_delays_that_come_after_the_series_make_it_be_parsed_again(config):
    trips.write_bytes(config, SERIES, b"timestamp,value\n")
    before = now(config)
    trips.write_bytes(config, DELAYS, b"60000\n")
    assert not now(config).covers(before.hash)


def test_delays_that_are_gone_leave_what_they_gave(parsed):
    (parsed.landing / DELAYS).unlink()
    assert changes.pending(Lake(parsed), OF_TELEMETRY) == []
    assert changes.find(Lake(parsed), engine_of(parsed), OF_TELEMETRY, TODAY).rows == {}


def test_delays_that_are_gone_must_come_back_before_their_series_is_parsed_again(parsed, monkeypatch):
    (parsed.landing / DELAYS).unlink()
    monkeypatch.setattr(parse, "stream_hash", lambda name: "another")
    with pytest.raises(LandingFailed, match=r"2 file\(s\) must be parsed again.*put those back"):
        changes.find(Lake(parsed), engine_of(parsed), OF_TELEMETRY, TODAY)
    assert changes.pending(Lake(parsed), OF_TELEMETRY) == [DELAYS, SERIES]


@pytest.mark.parametrize("text", [b"60000\nsoon\n", b"60000\n\n", b"1.5\n"])
def test_damaged_delays_are_named(parsed, text):
    trips.write_bytes(parsed, DELAYS, text)
    with pytest.raises(LandingFailed, match=DELAYS):
        parse.read_side_inputs(parsed.landing, TELEMETRY, now(parsed))


@pytest.mark.slow
def test_an_ingest_that_meets_damaged_delays_touches_nothing(parsed):
    ingest(parsed, "telemetry")
    before = files.known_files(Lake(parsed), OF_TELEMETRY.files)
    trips.write_bytes(parsed, DELAYS, b"soon\n")
    with pytest.raises(LandingFailed, match="repair it"):
        ingest(parsed, "telemetry")
    assert files.known_files(Lake(parsed), OF_TELEMETRY.files) == before
