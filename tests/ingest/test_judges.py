"""Lines judged by several processes give the rows of one; a judge that fails, or whose parent is gone, ends aloud."""

import os
import signal
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines import ingest, judges
from pipelines.config import Config
from pipelines.parse import LINE_COLUMNS, Judging
from tests.ingest import trips
from tests.robustness import processes

PATHS = [trips.path_of(name) for name in "abc"]
PROGRAM = """
from pipelines import config, ingest
config.Config.cores = 2
ingest.ingest(config.load(), "bikes")
"""


def some_lines(path: str, count: int) -> list[str]:
    return ["not a trip" if n % 5 == 0 else trips.trip("2017-06-03 08:00:00", n, station=len(path) + n % 3)
            for n in range(count)]


def lines_of_bronze(path: str) -> pa.Table:
    """A file of an odd number of lines, its header first."""
    texts = [trips.HEADER, *some_lines(path, 12)]
    count = len(texts)
    columns = ([path] * count, range(1, count + 1), texts, pa.nulls(count, pa.string()))
    return pa.table([pa.array(column) for column in columns], names=LINE_COLUMNS)


@pytest.fixture
def share(tmp_path) -> judges.Share:
    """Three files in two Parquet files; the last one is not asked for."""
    first, second = tmp_path / "first.parquet", tmp_path / "second.parquet"
    pq.write_table(lines_of_bronze(PATHS[0]), first)
    pq.write_table(pa.concat_tables(map(lines_of_bronze, PATHS[1:])), second)
    daily = next(layout.name for layout in trips.BIKES.layouts if layout.header == tuple(trips.HEADER.split(",")))
    judging = Judging(trips.BIKES, "a definition", dict.fromkeys(PATHS, daily), {})
    return judges.Share(judging, (str(first), str(second)), tuple(PATHS[:2]), tmp_path, lines_per_batch=4)


def judged_by(share: judges.Share, count: int) -> list[str]:
    folder = share.folder / str(count)
    folder.mkdir()
    judges.judge_all(replace(share, folder=folder), count)
    assert len(list(folder.glob("*.arrow"))) == count
    return sorted(map(repr, judges.read_judged(folder.glob("*.arrow")).to_pylist()))


@pytest.mark.parametrize("count", [2, 3])
def test_several_judges_judge_each_line_once(share, count):
    alone = judged_by(share, 1)
    assert len(alone) == 24 and sum("wrong column count" in row for row in alone) == 6
    assert judged_by(share, count) == alone


def test_a_batch_is_the_judges_that_claims_it_first(share):
    """Each in turn; then one of them does all that is left."""
    one, other = share.lines(), replace(share, judge=1).lines()
    taken = [next(one), next(other), next(one), *other]
    lines = [(row["path"], row["line"]) for batch in taken for row in batch.to_pylist()]
    assert sorted(lines) == [(path, line) for path in PATHS[:2] for line in range(1, 14)]
    assert list(one) == []


def test_what_a_helper_says_is_said(share):
    (share.folder / "1.arrow").mkdir()
    with pytest.raises(RuntimeError, match="ended with 1(?s:.*)is a directory"):
        judges.judge_all(share, 2)


def test_an_ingest_by_several_judges_is_one_by_one_judge(config, tmp_path, monkeypatch):
    for name in "abc":
        trips.write(config, name, some_lines(name, 40))
    ingest.ingest(config, "bikes")
    monkeypatch.setenv("WINDROW_LINES_PER_JUDGE", "1")
    monkeypatch.setattr(Config, "cores", 3)
    asked = []
    monkeypatch.setattr(judges, "judge_all", partial(_noting, asked, judges.judge_all))
    several = Config(tmp_path / "several", config.landing)
    ingest.ingest(several, "bikes")
    assert asked == [3]
    assert trips.contents(several) == trips.contents(config)


def _noting(asked: list[int], real, share: judges.Share, count: int) -> None:
    asked.append(count)
    real(share, count)


def test_a_helper_ends_when_its_parent_is_killed_and_the_next_ingest_clears_up(config, monkeypatch):
    trips.write(config, "a", some_lines("a", 150_000))
    monkeypatch.setenv("WINDROW_LINES_PER_JUDGE", "1")
    config.home.mkdir()
    process = processes.start_program(config, "killed", PROGRAM)
    place = config.ingests / "bikes"
    try:
        (written,) = processes.wait_until(lambda: list(place.glob("*/judged/1.arrow")), "a helper's file")
        (helper,) = set(processes.members(process.pid)) - {process.pid}
        os.kill(helper, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=processes.PATIENCE_S)
        os.kill(helper, signal.SIGCONT)
        processes.wait_until(lambda: not processes.members(process.pid), "the helper's end")
    finally:
        processes.kill_all(process.pid)
    assert len(judges.read_judged([written])) < 70_000  # it ended before its half was done
    assert ingest.ingest(config, "bikes").accepted > 0
    assert list(place.iterdir()) == []
