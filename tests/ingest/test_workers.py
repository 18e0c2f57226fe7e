"""Lines parsed by several processes give the rows of one; one that fails, or whose parent is gone, reports it."""

import gc
import os
import signal
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.support import processes, trips
from tests.support.lakes import ingest
from windrow.pipelines.config import Config
from windrow.pipelines.engines import local as workers
from windrow.pipelines.ingest.parse import LINE_COLUMNS, ParseRules, parse_lines
from windrow.schemas.errors import WorkerLost

pytestmark = pytest.mark.few_tests(1)

PATHS = [trips.path_of(name) for name in "abc"]
PROGRAM = """
from windrow.pipelines import config
from tests.support.lakes import ingest
config.Config.cores = 2
ingest(config.load(), "bikes")
"""


def some_lines(path: str, count: int) -> list[str]:
    made = [trips.trip("2017-06-03 08:00:00", n, station=len(path) + n % 3) for n in range(count)]
    return ["not a trip" if n % 5 == 0 else text for n, text in enumerate(made)]


def lines_of_bronze(path: str) -> pa.Table:
    """A file of an odd number of lines, its header first."""
    texts = [trips.HEADER, *some_lines(path, 12)]
    count = len(texts)
    return pa.table([[path] * count, range(1, count + 1), texts, pa.nulls(count, pa.string())], names=LINE_COLUMNS)


@pytest.fixture
def rules() -> ParseRules:
    daily = next(layout.name for layout in trips.BIKES.layouts if layout.header == tuple(trips.HEADER.split(",")))
    return ParseRules(trips.BIKES, "a definition", dict.fromkeys(PATHS, daily), {})


@pytest.fixture
def share(tmp_path, rules) -> workers.Mapping:
    """Three files in two Parquet files; the last one is not asked for."""
    first, second = tmp_path / "first.parquet", tmp_path / "second.parquet"
    pq.write_table(lines_of_bronze(PATHS[0]), first)
    pq.write_table(pa.concat_tables(map(lines_of_bronze, PATHS[1:])), second)
    return workers.Mapping(parse_lines(rules, tuple(PATHS[:2])), (str(first), str(second)), tmp_path, rows_per_batch=4)


def parsed_by(share: workers.Mapping, count: int) -> list[str]:
    folder = share.folder / str(count)
    files = workers.map_all(replace(share, folder=folder), count)
    assert sorted(folder.glob("*.arrow")) == sorted(files) and len(files) == count
    return sorted(map(repr, workers.read_mapped(files, share.work.schema).to_pylist()))


def test_one_worker_takes_a_layout_that_has_no_pickle(share, rules):
    """As one of docs/add-a-stream.md: its function is a lambda."""
    odd = [replace(each, parse=lambda *read, of=each.parse: of(*read)) for each in rules.stream.layouts]
    work = parse_lines(replace(rules, stream=replace(rules.stream, layouts=tuple(odd))), share.work.paths)
    assert parsed_by(replace(share, work=work), 1) == parsed_by(replace(share, folder=share.folder / "named"), 1)


def test_a_batch_is_the_workers_that_claims_it_first(share):
    """Each in turn; then one of them does all that is left."""
    one, other = share.batches(), share.batches()
    taken = [next(one), next(other), next(one), *other]
    lines = [(row["path"], row["line"]) for batch in taken for row in batch.to_pylist()]
    assert sorted(lines) == [(path, line) for path in PATHS[:2] for line in range(1, 14)]
    assert list(one) == []


def test_python_searches_for_cycles_again_once_lines_are_parsed_or_can_not_be(share):
    workers.write_mapped(share.work, share.batches(), share.folder / "parsed.arrow")
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError):
        workers.write_mapped(share.work, (1 // 0 for _ in PATHS), share.folder / "not parsed.arrow")
    assert gc.isenabled()


@pytest.mark.slow
def test_what_a_helper_reports_is_reported(share):
    (share.folder / "1.arrow").mkdir()
    with pytest.raises(RuntimeError, match="ended with 1(?s:.*)is a directory"):
        workers.map_all(share, 2)


def test_a_helper_that_is_killed_is_an_error_of_its_own_and_the_same_command_helps(share, monkeypatch):
    monkeypatch.setattr(workers, "_HELPER", "import os; os.kill(os.getpid(), 9)")
    with pytest.raises(WorkerLost, match="ended while it worked \\(by SIGKILL\\).*Run the same command again") as lost:
        workers.map_all(share, 2)
    assert lost.value.retry_helps


@pytest.mark.slow
def test_an_ingest_by_several_workers_is_one_by_one_worker(config, tmp_path, monkeypatch):
    for name in "abc":
        trips.write(config, name, some_lines(name, 40))
    ingest(config, "bikes")
    monkeypatch.setenv("WINDROW_LINES_PER_WORKER", "1")
    monkeypatch.setattr(Config, "cores", 3)
    asked = []
    monkeypatch.setattr(workers, "map_all", partial(_noting, asked, workers.map_all))
    several = Config(tmp_path / "several", config.landing)
    ingest(several, "bikes")
    assert asked == [3]
    assert trips.contents(several) == trips.contents(config)


def _noting(asked: list[int], real, share: workers.Mapping, count: int) -> list:
    asked.append(count)
    return real(share, count)


@pytest.mark.nightly
def test_a_helper_ends_when_its_parent_is_killed_and_the_next_ingest_clears_up(config, monkeypatch):
    trips.write(config, "a", some_lines("a", 150_000))
    monkeypatch.setenv("WINDROW_LINES_PER_WORKER", "1")
    config.home.mkdir()
    process = processes.start_program(config, "killed", PROGRAM)
    place = config.ingests / "bikes"
    try:
        (written,) = processes.wait_until(lambda: list(place.glob("parsed/1.arrow")), "a helper's file")
        (helper,) = set(processes.members(process.pid)) - {process.pid}
        os.kill(helper, signal.SIGSTOP)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(timeout=processes.PATIENCE_S)
        os.kill(helper, signal.SIGCONT)
        processes.wait_until(lambda: not processes.members(process.pid), "the helper's end")
    finally:
        processes.kill_all(process.pid)
    assert pa.ipc.open_file(pa.memory_map(str(written))).read_all().num_rows < 70_000, "before its half was done"
    assert ingest(config, "bikes").accepted > 0
    assert not place.exists()
