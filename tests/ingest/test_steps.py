"""A lake built in steps holds, row for row, what a lake built from all files at once holds; an ingest in batches ends
as one in a single batch, and one that is killed between two leaves the first. No JVM."""

import random
import shutil
from dataclasses import replace

import pyarrow.parquet as pq
import pytest

from tests.support import landings, trips
from tests.support.lakes import PATIENT, ingest, pending
from tests.support.landings import BIKES, content_of, path_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import files, parse
from windrow.pipelines.ingest.changes import LEAST_BYTES
from windrow.schemas import registry
from windrow.schemas.stream import Layout
from windrow.schemas.tables import silver_table

pytestmark = [PATIENT, pytest.mark.few_tests(3)]

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


LENGTHS_S = (100_000, 600, 600, 600)
POOL = [trips.trip(f"2017-06-0{3 + n % 3} 0{n % 9}:00:00", LENGTHS_S[n % 4], station=n // 6) for n in range(18)]
COMMITS_A_FILE = 7


def in_one(config: Config) -> Config:
    config.__dict__["ingest_batch_bytes"] = 1 << 40
    return config


def each_alone(config: Config) -> Config:
    config.__dict__["ingest_batch_bytes"] = 0
    return config


def random_content(chance: random.Random) -> bytes:
    return content_of(BIKES, [*chance.sample(POOL, chance.randint(0, 8)), *chance.choices(["no trip", POOL[0]], k=2)])


def contents(config: Config) -> dict:
    """Rows by table, but of files the time of reading."""
    found = trips.contents(config)
    rows = landings.file_rows(config, BIKES).values()
    found["files_bikes"] = sorted(repr(files.replace(row, modified_ns=None, landed_date=None)) for row in rows)
    return found


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(8))
def test_batches_do_not_show(tmp_path, seed):
    """New files, changed ones, copies, swapped contents, another definition: each step in one batch and in many."""
    chance = random.Random(seed)
    whole, parts = (Config(tmp_path / name, tmp_path / "landing") for name in ("whole", "parts"))
    pool = [random_content(chance) for _ in range(6)]
    for step in range(3):
        for name in chance.sample("abcdefgh", chance.randint(2, 6)):
            landings.put(whole, path_of(BIKES, name, packed=True), chance.choice(pool))
        reports = [ingest(in_one(whole), BIKES), ingest(each_alone(parts), BIKES)]
        assert contents(parts) == contents(whole), step
        assert reports[0].refused == reports[1].refused
        assert reports[0].accepted == reports[1].accepted
        if step == 1:
            for config in (whole, parts):
                make_older(config)
    assert not pending(parts, BIKES)


def test_a_definition_that_moves_events_to_other_days_is_applied_file_by_file(tmp_path, monkeypatch):
    """A line of both files is an event of the first, and a duplicate of the other until that has its turn."""
    whole, parts = (Config(tmp_path / name, tmp_path / "landing") for name in ("whole", "parts"))
    for name in "ab":
        lines = [trips.trip("2017-06-03 08:00:00", 600), trips.trip(f"2017-06-04 0{'ab'.index(name)}:00:00", 600)]
        landings.put(whole, path_of(BIKES, name, packed=True), content_of(BIKES, lines))
    for config in (whole, parts):
        ingest(config, BIKES)
    ours = registry.stream(BIKES)
    monkeypatch.setitem(registry.streams(), BIKES, replace(ours, layouts=tuple(map(two_days_later, ours.layouts))))
    monkeypatch.setattr(parse, "stream_hash", lambda name: "two days later")
    ingest(in_one(whole), BIKES)
    ingest(each_alone(parts), BIKES)
    assert contents(parts) == contents(whole)
    assert not pending(parts, BIKES)


def two_days_later(layout: Layout) -> Layout:
    def parse_later(*given) -> list:
        found = layout.parse(*given)
        return [each._replace(arrival_us=each.arrival_us + 2 * 86_400_000_000) for each in found]

    return replace(layout, parse=parse_later)


def make_older(config: Config) -> None:
    rows = landings.file_rows(config, BIKES).values()
    files.write_files(Lake(config), trips.TABLES.files, [files.replace(row, definition="older") for row in rows])


@pytest.mark.nightly
@pytest.mark.parametrize("more", [0, 3])
@pytest.mark.parametrize("batches", [1, 2, 4])
def test_killed_after_some_batches_the_next_ingest_does_the_others_only(config, tmp_path, monkeypatch, batches, more):
    paths = [path_of(BIKES, name, packed=True) for name in "abcde"]
    for n, path in enumerate(paths):
        landings.put(config, path, content_of(BIKES, [trips.trip(f"2017-06-1{n} 08:00:00", 60), "no trip"]))
    config.home.mkdir()
    monkeypatch.setenv("WINDROW_INGEST_BATCH_MIB", "0")
    assert landings.kill_after_commits(config, COMMITS_A_FILE * batches + more, "ingest", BIKES)
    assert sorted(landings.finished(config, BIKES)) == paths[:batches]
    assert pending(config, BIKES) == paths[batches:]
    assert [row.path for row in ingest(config, BIKES).files] == paths[batches:]
    reference = landings.at_once(tmp_path / "at once", BIKES, landings.landed(config))
    assert contents(config) == contents(reference)


def test_a_batch_has_as_much_content_as_it_may_or_one_file(config):
    for name, size in {"a": 1, "b": 2, "c": 3, "d": 20}.items():
        lines = [POOL[0] + " " * size * LEAST_BYTES] if name in "cd" else POOL[:size]
        landings.put(config, path_of(BIKES, name, packed=True), content_of(BIKES, lines))
    changes = trips.find(config)
    sizes = [max(row.content_bytes, LEAST_BYTES) for row in changes.rows.values()]
    whole = [[*changes.rows]]
    assert [[*batch.rows] for batch in changes.batches(sum(sizes))] == whole
    assert [[*batch.rows] for batch in changes.batches(sum(sizes) - 1)] == [whole[0][:3], whole[0][3:]]
    assert [len(batch.rows) for batch in changes.batches(0)] == [1, 1, 1, 1]
    assert [len(batch.rows) for batch in changes.batches(sizes[0] + sizes[1])] == [2, 1, 1]
