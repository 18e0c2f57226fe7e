"""An ingest in batches ends as one in a single batch, and one that is killed between two leaves the first. No JVM."""

import random

import pytest

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.ingest import files
from pipelines.ingest.changes import LEAST_BYTES
from tests.support import landings, trips
from tests.support.lakes import ingest, pending
from tests.support.landings import BIKES, content_of, path_of

pytestmark = pytest.mark.few_tests(1)

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
@pytest.mark.parametrize("seed", range(4))
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
    assert landings.kill_after_commits(config, BIKES, COMMITS_A_FILE * batches + more)
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
