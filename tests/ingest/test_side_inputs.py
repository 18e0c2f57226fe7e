"""Files beside those with events: what changes when they come, change, are damaged or go. No JVM."""

from datetime import date

import pytest

from pipelines import changes, definition, ingest, lake, land
from pipelines.config import Config
from schemas import registry
from schemas.errors import LandingFailed
from schemas.tables import files_table

TELEMETRY, TODAY = registry.stream("telemetry"), date(2024, 5, 1)
SERIES, DELAYS = "telemetry/nab/made/speed_1.csv", "telemetry/delays/made.txt"


def put(config: Config, path: str, text: str) -> str:
    place = config.landing / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    return path


def now(config: Config) -> definition.Definition:
    return definition.now(config, TELEMETRY, land.listing(config.landing, TELEMETRY))


@pytest.fixture
def judged(config) -> Config:
    """A series that an ingest has judged, with its delays."""
    put(config, SERIES, "timestamp,value\n2015-09-08 11:39:00,73\n")
    put(config, DELAYS, "60000\n90500\n")
    found, table = changes.find(config, TELEMETRY, TODAY), files_table(TELEMETRY)
    rows = [changes.replace(row, definition=found.definition.hash) for row in found.rows.values()]
    lake.ensure(config, table)
    lake.replace(config, table, None, changes.as_table(TELEMETRY, rows))
    return config


def test_the_files_are_known_as_holding_no_events_and_their_lines_are_read(judged):
    assert definition.side_inputs(judged, TELEMETRY, now(judged)) == {"delays": (60_000, 90_500)}
    assert changes.known_files(judged, TELEMETRY)[DELAYS].state == changes.NO_EVENTS
    assert changes.pending(judged, TELEMETRY) == []


def test_other_delays_are_another_definition(judged):
    put(judged, DELAYS, "60000\n")
    assert changes.pending(judged, TELEMETRY) == [DELAYS, SERIES]


def test_delays_that_come_after_the_series_make_it_be_judged_again(config):
    put(config, SERIES, "timestamp,value\n")
    before = now(config)
    put(config, DELAYS, "60000\n")
    assert not now(config).holds(before.hash)


def test_delays_that_are_gone_leave_what_they_gave(judged):
    (judged.landing / DELAYS).unlink()
    assert changes.pending(judged, TELEMETRY) == []
    assert changes.find(judged, TELEMETRY, TODAY).rows == {}


def test_delays_that_are_gone_must_come_back_before_their_series_is_judged_again(judged, monkeypatch):
    (judged.landing / DELAYS).unlink()
    monkeypatch.setattr(definition, "stream_hash", lambda name: "another")
    with pytest.raises(LandingFailed, match=r"2 file\(s\) must be judged again.*put those back"):
        changes.find(judged, TELEMETRY, TODAY)


@pytest.mark.parametrize("text", ["60000\nsoon\n", "60000\n\n", "1.5\n"])
def test_damaged_delays_are_named(judged, text):
    put(judged, DELAYS, text)
    with pytest.raises(LandingFailed, match=DELAYS):
        definition.side_inputs(judged, TELEMETRY, now(judged))


def test_an_ingest_that_meets_damaged_delays_touches_nothing(judged):
    before = changes.known_files(judged, TELEMETRY)
    put(judged, DELAYS, "soon\n")
    with pytest.raises(LandingFailed, match="mend it"):
        ingest.ingest(judged, "telemetry")
    assert changes.known_files(judged, TELEMETRY) == before
