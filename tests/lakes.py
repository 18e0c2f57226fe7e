"""Lakes that several folders of tests start from: made once per pytest process, copied for each test."""

import shutil
from datetime import timedelta

import pytest

from pipelines.config import Config
from tests.replay import landing

QUERIES = ("bikes_daily", "bikes_demand", "bikes_last_hour")
# Trips of the last local day are known until the next day in UTC.
DAYS = [landing.FIRST_DAY + timedelta(days=n) for n in range(5)]
# The first test that asks for a lake waits for all runs that make it.
PATIENT = pytest.mark.timeout(1_200)


@pytest.fixture
def config(tmp_path) -> Config:
    """An empty installation."""
    return Config(tmp_path / "home", tmp_path / "landing")


@pytest.fixture(scope="session")
def first_ingested(tmp_path_factory) -> Config:
    """A lake whose silver is made from a few days of trips; never changed by a test."""
    from pipelines import ingest

    home = tmp_path_factory.mktemp("ingested")
    config = Config(home / "home", home / "landing")
    landing.write(config.landing, landing.trips())
    ingest.ingest(config, "bikes")
    return config


@pytest.fixture(scope="session")
def first_published(first_ingested, tmp_path_factory) -> Config:
    """The same with all days of all queries published, forwards; never changed by a test."""
    from pipelines import run

    config = copied(first_ingested, tmp_path_factory.mktemp("published"))
    for query in QUERIES:
        run.backfill(config, query, DAYS[0], DAYS[-1])
    return config


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
