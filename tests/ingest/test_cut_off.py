"""What an ingest that was killed half-way leaves, and what the next one makes of it. No JVM."""

from datetime import UTC, datetime, timedelta

import pytest
from deltalake import DeltaTable

from pipelines.delta.lake import Lake
from pipelines.engines import engine_of
from pipelines.ingest import changes, files
from pipelines.ingest.ingest import ingest as ingest_unrecorded
from pipelines.ingest.writes import write_bronze
from schemas import registry
from tests.support import trips
from tests.support.lakes import ingest
from tests.support.trips import TABLES, find

LINES = [trips.trip("2017-06-03 08:00:00", 600)]


def test_a_file_that_was_being_emptied_is_taken_out_of_silver_by_the_next_ingest(config):
    path = trips.write_bytes(config, trips.path_of("a"), b"")
    trips.remember(config, changes.replace(find(config).rows[path], definition=files.INTENT))
    again = find(config)
    assert again.rows[path].state == files.EMPTY and again.touch_tables


def test_a_file_that_never_reached_bronze_is_new_when_it_comes_back(config):
    path = trips.write(config, "a", LINES)
    trips.remember(config, find(config).intents[path])
    hidden = (config.landing / path).rename(config.landing / "hidden")
    made_final = changes.replace(find(config).rows[path], definition=registry.stream_hash("bikes"))
    trips.remember(config, made_final)
    hidden.rename(config.landing / path)
    assert find(config).landed == {path} and changes.pending(Lake(config), TABLES) == [path]


@pytest.mark.slow
def test_files_cut_off_and_gone_have_never_come(config):
    paths = [trips.write(config, name, [*LINES, trips.trip("2017-06-03 09:00:00", n)]) for n, name in enumerate("ab")]
    found = find(config)
    for path in paths:
        trips.remember(config, found.intents[path])
        (config.landing / path).unlink()
    assert {row.state for row in find(config).rows.values()} == {files.REMOVED}
    assert [message for message in find(config).messages if "as if it had never come" in message]
    assert changes.pending(Lake(config), TABLES) == paths
    ingest(config, "bikes")
    assert files.known_files(Lake(config), TABLES.files) == {}
    assert changes.pending(Lake(config), TABLES) == []


def test_a_file_that_a_fixed_definition_calls_events_is_taken_up(config):
    path = trips.write(config, "a", LINES)
    row = find(config).rows[path]
    trips.remember(config, changes.replace(row, state=files.NO_EVENTS, definition=registry.stream_hash("bikes")))
    assert find(config).landed == {path}


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize("in_bronze", [False, True])
def test_a_file_cut_off_and_gone_then_keeps_what_it_delivered_before(config, in_bronze):
    """Whether bronze has the new content already or not: an older version of it has the lines from before."""
    path = trips.write(config, "a", LINES)
    ingest(config, "bikes")
    before, bronze = trips.contents(config), Lake(config).read("bronze_bikes")
    trips.write(config, "a", [*LINES, trips.trip("2017-06-03 09:00:00", 600)])
    found = changes.find(Lake(config), engine_of(config), TABLES, datetime.now(UTC).date() + timedelta(days=1))
    trips.remember(config, found.intents[path])
    if in_bronze:
        write_bronze(Lake(config), engine_of(config), TABLES, found)
        assert Lake(config).read("bronze_bikes").num_rows == bronze.num_rows + 1
    (config.landing / path).unlink()
    ingest(config, "bikes")
    assert Lake(config).read("bronze_bikes") == bronze
    assert trips.contents(config) == before
    assert changes.pending(Lake(config), TABLES) == []


@pytest.mark.slow
def test_a_file_cut_off_and_gone_whose_lines_from_before_are_vacuumed_is_reported(config):
    path = trips.write(config, "a", LINES)
    ingest(config, "bikes")
    trips.write(config, "a", [*LINES, trips.trip("2017-06-03 09:00:00", 600)])
    found = find(config)
    trips.remember(config, found.intents[path])
    write_bronze(Lake(config), engine_of(config), TABLES, found)
    DeltaTable(config.lake / "bronze_bikes").vacuum(0, dry_run=False, enforce_retention_duration=False)
    (config.landing / path).unlink()
    messages = ingest(config, "bikes").messages
    assert [message for message in messages if path in message and "what it delivered before is lost" in message]
    assert trips.silver(config) == []
    assert files.known_files(Lake(config), TABLES.files) == {}


@pytest.mark.slow
def test_days_that_an_ingest_made_which_the_ledger_does_not_have_are_touched_by_the_next(config):
    """As after a kill between its last table and the ledger: no event was reported yet for silver's new rows."""
    first = trips.write(config, "a", LINES)
    made = ingest_unrecorded(Lake(config), engine_of(config), TABLES).touched_days
    assert made and ingest(config, "bikes").touched_days == made
    assert ingest(config, "bikes").touched_days == ()
    trips.write(config, "b", [trips.trip("2017-06-07 08:00:00", 600)])
    ingest_unrecorded(Lake(config), engine_of(config), TABLES)
    (config.landing / first).write_bytes(b"")
    report = ingest(config, "bikes")
    assert [str(day) for day in report.touched_days] == ["2017-06-03", "2017-06-07"]
    assert ingest(config, "bikes").touched_days == ()
