"""The tables end the same in any order in which files land and days are run, forwards, backwards and again."""

import random

import pytest

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.ledger.stale import stale
from pipelines.runs.backfill import backfill
from pipelines.runs.replay import replay_day
from schemas.errors import WindrowError
from tests.support.digests import digests
from tests.support.engines import ENGINES
from tests.support.lakes import DAYS, PATIENT, ingest
from tests.support.replay import landing

FILES = {**landing.trips(), **landing.late_file()}
QUERIES = ("bikes_daily", "bikes_last_hour")
TABLES = [name + kind for name in QUERIES for kind in ("", "_late")]
pytestmark = [PATIENT, pytest.mark.nightly, pytest.mark.slow]


@pytest.fixture(scope="module")
def in_order(tmp_path_factory) -> dict[str, tuple]:
    """Digests of the tables where all files landed before the first run."""
    folder = tmp_path_factory.mktemp("in_order")
    config = Config(folder / "home", folder / "landing")
    landing.write(config.landing, FILES)
    ingest(config, "bikes")
    for query in QUERIES:
        backfill(config, [query], (DAYS[0], DAYS[-1])).require()
    return digests(config, TABLES)


@ENGINES
@pytest.mark.parametrize("seed", range(12))
def test_the_tables_end_the_same_in_any_order(config, engine, in_order, seed):
    chance, ran = random.Random(seed), set()
    for path in chance.sample(sorted(FILES), len(FILES)):
        landing.write(config.landing, {path: FILES[path]})
        ingest(config, "bikes")
        ran |= run_some(config, chance)
    left = {(query, day) for query in QUERIES for day in DAYS} - ran
    again = {(each.query, each.day) for each in stale(Lake(config))}
    for query, day in chance.sample(sorted(left | again), len(left | again)):
        replay_day(config, query, day)
    assert stale(Lake(config)) == []
    assert digests(config, TABLES) == in_order


def run_some(config: Config, chance: random.Random) -> set:
    """Runs of a few days, those that are known by then."""
    ran = set()
    for query, day in chance.sample([(query, day) for query in QUERIES for day in DAYS], 2):
        try:
            replay_day(config, query, day)
        except WindrowError as error:
            assert type(error).__name__ == "NothingArrived", error
        else:
            ran.add((query, day))
    return ran
