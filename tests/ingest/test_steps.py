"""A lake built in steps holds, row for row, what a lake built from all files at once holds."""

import random
import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.ingest import files
from schemas import registry
from schemas.tables import silver_table
from tests.support import trips
from tests.support.lakes import PATIENT, ingest, pending

pytestmark = [PATIENT, pytest.mark.few_tests(2)]

# The same line in both files: equal identities, of which the least path stays. The long trip arrives a day later.
SHARED = trips.trip("2017-06-03 08:00:00", 600)
LONG = trips.trip("2017-06-03 09:00:00", 100_000)
FIRST = [SHARED, trips.trip("2017-06-03 08:10:00", 60), SHARED, LONG]
SECOND = [trips.trip("2017-06-04 10:00:00", 300, station=5), SHARED, LONG, "not a trip"]
THIRD = [trips.trip("2017-06-05 23:59:59", 9_000), SHARED, trips.trip("2017-06-03 08:10:00", 60)]


def at_once(config: Config, tmp_path) -> dict[str, list[str]]:
    """What a new lake holds of the same landing folder."""
    fresh = Config(tmp_path / "fresh", config.landing)
    shutil.rmtree(fresh.home, ignore_errors=True)
    ingest(fresh, "bikes")
    return trips.contents(fresh)


def land_in_steps(config: Config, steps: list[dict[str, list[str]]]) -> None:
    for step in steps:
        for name, lines in step.items():
            trips.write(config, name, lines)
        ingest(config, "bikes")


@pytest.mark.slow
def test_steps_do_not_show(config, tmp_path):
    """Files in reverse order, so that earlier copies come late; then copies go one by one; then content moves on."""
    land_in_steps(config, [{"c": THIRD}, {"b": SECOND}, {"a": FIRST}])
    assert trips.contents(config) == at_once(config, tmp_path)
    land_in_steps(config, [{"a": FIRST[1:2]}])
    assert trips.contents(config) == at_once(config, tmp_path)
    land_in_steps(config, [{"a": SECOND, "b": []}, {"c": FIRST}])
    assert trips.contents(config) == at_once(config, tmp_path)


@pytest.mark.slow
def test_the_copy_that_stays_is_the_first_by_path_and_line(config):
    land_in_steps(config, [{"b": SECOND}, {"a": FIRST}])
    first, second = trips.path_of("a"), trips.path_of("b")
    events = [(row["path"], row["line"]) for row in trips.silver(config)]
    assert events == [(first, 2), (first, 3), (second, 2), (first, 5)]
    again = [(first, 4, "duplicate"), (second, 3, "duplicate"), (second, 4, "duplicate")]
    assert trips.quarantine(config) == [*again, (second, 5, "wrong column count")]
    for path, accepted, quarantined, duplicates in ((first, 3, 0, 1), (second, 1, 1, 2)):
        row = trips.file_row(config, path)
        assert (row["accepted"], row["quarantined"], row["duplicates"]) == (accepted, quarantined, duplicates)
        assert row["readings"] == 4


@pytest.mark.slow
def test_an_ingest_of_nothing_new_writes_nothing_and_another_only_the_touched_days(ingested):
    before = ingest(ingested, "bikes")
    assert (before.files, before.touched_days, before.refused) == ((), (), {})
    assert ingest(ingested, "bikes").snapshot == before.snapshot and not pending(ingested, "bikes")
    trips.write(ingested, "b", SECOND[:1])
    assert [str(day) for day in ingest(ingested, "bikes").touched_days] == ["2017-06-04"]


@pytest.mark.slow
def test_another_definition_makes_everything_again_from_bronze(ingested):
    """The landing folder is emptied and silver spoilt, so that only bronze can have given the rows."""
    lake, before = Lake(ingested), trips.contents(ingested)
    rows = files.known_files(lake, trips.TABLES.files).values()
    older = [replace(row, definition="older", accepted=0, readings=0, layout=None) for row in rows]
    files.write_files(lake, trips.TABLES.files, older)
    silver, all_events = trips.TABLES.silver, len(trips.silver(ingested))
    lake.replace(silver, {"bucket": range(2, trips.BIKES.buckets)}, [])
    assert 0 < len(trips.silver(ingested)) < all_events
    shutil.rmtree(ingested.landing / "bikes")
    assert pending(ingested, "bikes")
    ingest(ingested, "bikes")
    assert trips.contents(ingested) == before


@pytest.mark.slow
def test_times_that_nanoseconds_can_not_hold_are_kept(config):
    """Spark's own choice for Parquet, INT96, is nanoseconds to other readers: they end in 2262."""
    trips.write(config, "a", [trips.trip("2500-01-01 08:00:00", 600), trips.trip("9998-01-01 08:00:00", 600)])
    assert ingest(config, "bikes").accepted == 2
    assert [row["start"].year for row in trips.silver(config)] == [2500, 9998]


@pytest.mark.nightly
def test_silver_s_files_are_in_order_one_for_each_day_and_bucket(config):
    """More rows than one batch of what makes them, of keys that come in no order."""
    chance = random.Random(1)
    at = [(n % 40_000, f"2017-06-03 08:{chance.randrange(60):02}:00", chance.randrange(500)) for n in range(200_000)]
    lines = [trips.trip(start, duration_s, station) for duration_s, start, station in at]
    for name, half in (("b", lines[::2]), ("a", lines[1::2])):
        land_in_steps(config, [{name: half}])
    order = silver_table(registry.stream("bikes")).sort_by
    files = [pq.read_table(place, columns=list(order)) for place in Lake(config).files("silver_bikes")]
    assert sum(map(len, files)) == len(trips.silver(config)) > 122_880
    assert len(files) == len({(row["arrival_date"], row["bucket"]) for row in trips.silver(config)})
    assert all(rows.equals(rows.sort_by([(name, "ascending") for name in order])) for rows in files)
