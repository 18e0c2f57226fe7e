"""Lakes that several folders of tests start from: made once per pytest run, copied for each test."""

import fcntl
import os
import shutil
from collections.abc import Callable, Iterable
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.support.replay import landing
from windrow.pipelines import flow
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate.gate import Gate
from windrow.pipelines.ingest import changes
from windrow.pipelines.ingest.ingest import Progress
from windrow.pipelines.ingest.outcome import IngestReport
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry

QUERIES = ("bikes_daily", "bikes_demand", "bikes_last_hour")
# Trips of the last local day are known until the next day in UTC.
DAYS = [landing.FIRST_DAY + timedelta(days=n) for n in range(5)]
# The first test that asks for a lake waits for all runs that make it.
PATIENT = pytest.mark.timeout(1_200)


def silent(text: str) -> None:
    """Progress that no caller listens to."""


def tables_of(stream_name: str) -> StreamTables:
    """The tables of a stream that is known by name."""
    return StreamTables.of(registry.stream(stream_name))


def ingest(config: Config, stream_name: str, progress: Progress | None = None) -> IngestReport:
    """Ingest a stream, as a run without a day."""
    return ingest_day(config, stream_name, None, None, progress or silent)


def replay_scheduled(config: Config, stream_name: str, days: Iterable[date]) -> None:
    """Ingest a stream, then replay each day of the queries that its DAG runs, one by one."""
    ingest(config, stream_name)
    for query in flow.scheduled_queries(registry.stream(stream_name)):
        for day in days:
            replay_day(config, query.name, day)


def gate_of(lake: Lake) -> Gate:
    """The gate, over the rows as the configured engine moves them."""
    return Gate(lake, engine_of(lake.config))


def pending(config: Config, stream_name: str) -> list[str]:
    """Paths for which the stream's tables are behind the landing folder or its definition."""
    return changes.pending(Lake(config), tables_of(stream_name))


@pytest.fixture
def config(tmp_path) -> Config:
    """An empty installation."""
    return Config(tmp_path / "home", tmp_path / "landing")


def lake_of(folder: Path, files: dict[str, str], *queries: str) -> Config:
    """A new lake of these files of trips, with all days of some queries published, forwards."""
    config = Config(folder / "home", folder / "landing")
    landing.write(config.landing, files)
    ingest(config, "bikes")
    _publish(config, *queries)
    return config


def _publish(config: Config, *queries: str) -> None:
    for query in queries:
        backfill(config, [query], (DAYS[0], DAYS[-1])).require()


def _made_once(tmp_path_factory, name: str, make: Callable[[Path], object]) -> Config:
    """Make a lake, or take the one that another worker of this pytest run made (xdist: a folder of each within one)."""
    mine = tmp_path_factory.getbasetemp()
    place = (mine.parent if "PYTEST_XDIST_WORKER" in os.environ else mine) / name
    with open(f"{place}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if place.exists():
            return Config(place / "home", place / "landing")
        making, copying = (place.with_name(f"{name}-{state}") for state in ("in-the-making", "being-copied"))
        for half in (making, copying):  # of a worker that died in it
            shutil.rmtree(half, ignore_errors=True)
        making.mkdir()
        make(making)
        copied(Config(making / "home", making / "landing"), copying)
        copying.rename(place)  # in one step: a place that exists is whole
        return Config(place / "home", place / "landing")


@pytest.fixture(scope="session")
def first_ingested(tmp_path_factory) -> Config:
    """A lake whose silver is made from a few days of trips; never changed by a test."""

    return _made_once(tmp_path_factory, "ingested", lambda folder: lake_of(folder, landing.trips()))


@pytest.fixture(scope="session")
def first_published(first_ingested, tmp_path_factory) -> Config:
    """The same with all days of all queries published, forwards; never changed by a test."""

    def make(folder: Path) -> None:
        _publish(copied(first_ingested, folder), *QUERIES)

    return _made_once(tmp_path_factory, "published", make)


def copied(config: Config, into) -> Config:
    """A copy of an installation, free to be changed."""
    shutil.copytree(config.home, into / "home", ignore=shutil.ignore_patterns("spark", "numba"))
    shutil.copytree(config.landing, into / "landing")
    return Config(into / "home", into / "landing")


@pytest.fixture
def ingested(first_ingested, tmp_path) -> Config:
    """A lake with silver and nothing published."""
    return copied(first_ingested, tmp_path)


@pytest.fixture
def published(first_published, tmp_path) -> Config:
    """A lake with all days of all queries published."""
    return copied(first_published, tmp_path)


def spoil_noted(lake: Lake, day: date) -> None:
    """What ingest noted of a day of bikes is wrong, and its silver is new: the next check of that day fails. Rows that
    are only gone would be made again."""
    tables = tables_of("bikes")
    of_day = [row for row in lake.read(tables.silver.name).to_pylist() if row["arrival_date"] == day]
    version = lake.replace(tables.silver, {"arrival_date": [day]}, of_day)
    (noted,) = [row for row in lake.read(tables.partitions.name).to_pylist() if row["arrival_date"] == day]
    wrong = {"newest_start": noted["newest_start"] + timedelta(hours=1), "silver_version": version}
    lake.replace(tables.partitions, {"arrival_date": [day]}, [{**noted, **wrong}])
