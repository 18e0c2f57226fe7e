"""What an ingest that was killed half-way leaves, and what the next one makes of it. No JVM."""

from datetime import UTC, datetime, timedelta

from pipelines.ingest import changes, files
from pipelines.lake.lake import Lake
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


def test_two_files_cut_off_are_never_each_other_s_duplicates(config):
    paths = [trips.write(config, name, [*LINES, trips.trip("2017-06-03 09:00:00", n)]) for n, name in enumerate("ab")]
    found = find(config)
    for path in paths:
        trips.remember(config, found.intents[path])
        (config.landing / path).unlink()
    assert {row.state for row in find(config).rows.values()} == {files.ACCEPTED}


def test_a_file_that_a_fixed_definition_calls_events_is_taken_up(config):
    path = trips.write(config, "a", LINES)
    row = find(config).rows[path]
    trips.remember(config, changes.replace(row, state=files.NO_EVENTS, definition=registry.stream_hash("bikes")))
    assert find(config).landed == {path}


def test_a_file_cut_off_before_bronze_and_gone_then_keeps_what_it_delivered_on_another_day(config):
    """The intent carries the day of the new content; bronze still has the old one."""
    path = trips.write(config, "a", LINES)
    ingest(config, "bikes")
    before = trips.contents(config)
    bronze = Lake(config).read("bronze_bikes")
    trips.write(config, "a", [*LINES, trips.trip("2017-06-03 09:00:00", 600)])
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    trips.remember(config, changes.find(Lake(config), TABLES, tomorrow).intents[path])
    (config.landing / path).unlink()
    ingest(config, "bikes")
    assert Lake(config).read("bronze_bikes") == bronze
    after = trips.contents(config)
    assert after["silver_bikes"] == before["silver_bikes"] != []
    assert trips.file_row(config, path)["accepted"] == 1
