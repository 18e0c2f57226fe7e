"""Files alongside those with events: what changes when they come, change, are damaged or go. No JVM."""

from datetime import date

import pytest

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.engines import engine_of
from pipelines.ingest import changes, definition, files, landing
from pipelines.tables.stream_tables import StreamTables
from schemas import registry
from schemas.errors import LandingFailed
from tests.support import trips
from tests.support.lakes import ingest

TELEMETRY, TODAY = registry.stream("telemetry"), date(2024, 5, 1)
TABLES = StreamTables.of(TELEMETRY)
SERIES, DELAYS = "telemetry/nab/made/speed_1.csv", "telemetry/delays/made.txt"


def now(config: Config) -> definition.Definition:
    return definition.now(config.landing, TELEMETRY, landing.listing(config.landing, TELEMETRY), {})


@pytest.fixture
def parsed(config) -> Config:
    """A series that an ingest has parsed, with its delays."""
    trips.write_bytes(config, SERIES, b"timestamp,value\n2015-09-08 11:39:00,73\n")
    trips.write_bytes(config, DELAYS, b"60000\n90500\n")
    found = changes.find(Lake(config), engine_of(config), TABLES, TODAY)
    rows = [changes.replace(row, definition=found.definition.hash) for row in found.rows.values()]
    Lake(config).ensure(TABLES.files)
    files.write_files(Lake(config), TABLES.files, rows)
    return config


def test_the_files_are_known_as_holding_no_events_and_their_lines_are_read(parsed):
    assert definition.side_inputs(parsed.landing, TELEMETRY, now(parsed)) == {"delays": (60_000, 90_500)}
    assert files.known_files(Lake(parsed), TABLES.files)[DELAYS].state == files.NO_EVENTS
    assert changes.pending(Lake(parsed), TABLES) == []


def test_other_delays_are_another_definition(parsed):
    trips.write_bytes(parsed, DELAYS, b"60000\n")
    assert changes.pending(Lake(parsed), TABLES) == [DELAYS, SERIES]


def test_delays_that_come_after_the_series_make_it_be_parsed_again(config):
    trips.write_bytes(config, SERIES, b"timestamp,value\n")
    before = now(config)
    trips.write_bytes(config, DELAYS, b"60000\n")
    assert not now(config).covers(before.hash)


def test_delays_that_are_gone_leave_what_they_gave(parsed):
    (parsed.landing / DELAYS).unlink()
    assert changes.pending(Lake(parsed), TABLES) == []
    assert changes.find(Lake(parsed), engine_of(parsed), TABLES, TODAY).rows == {}


def test_delays_that_are_gone_must_come_back_before_their_series_is_parsed_again(parsed, monkeypatch):
    (parsed.landing / DELAYS).unlink()
    monkeypatch.setattr(definition, "stream_hash", lambda name: "another")
    with pytest.raises(LandingFailed, match=r"2 file\(s\) must be parsed again.*put those back"):
        changes.find(Lake(parsed), engine_of(parsed), TABLES, TODAY)


@pytest.mark.parametrize("text", [b"60000\nsoon\n", b"60000\n\n", b"1.5\n"])
def test_damaged_delays_are_named(parsed, text):
    trips.write_bytes(parsed, DELAYS, text)
    with pytest.raises(LandingFailed, match=DELAYS):
        definition.side_inputs(parsed.landing, TELEMETRY, now(parsed))


@pytest.mark.slow
def test_an_ingest_that_meets_damaged_delays_touches_nothing(parsed):
    ingest(parsed, "telemetry")
    before = files.known_files(Lake(parsed), TABLES.files)
    trips.write_bytes(parsed, DELAYS, b"soon\n")
    with pytest.raises(LandingFailed, match="repair it"):
        ingest(parsed, "telemetry")
    assert files.known_files(Lake(parsed), TABLES.files) == before
