"""Every arrival day of the real files of all five streams, through every query and the gate, is published."""

from collections import Counter
from datetime import timedelta
from functools import cache
from pathlib import Path

import pytest

from tests.support.lakes import ingest
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import code_hash, run_table
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.sql import statements
from windrow.schemas import registry
from windrow.schemas.query import Query, agg, session, tumbling

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
LENGTHS = {"calls": agg("count"), "longest_s": agg("max", "duration_s")}
OF_STREAMS_WITHOUT_QUERIES = {
    query.name: query
    for query in (
        Query("calls_by_caller", "phone_calls", ("caller",), tumbling(DAY), LENGTHS, HOUR, 2 * DAY, "watermark"),
        Query("calls_by_receiver", "phone_calls", ("receiver",), session(HOUR), LENGTHS, HOUR, 2 * DAY, "watermark"),
        Query("calls_by_customer", "call_center", ("customer",), tumbling(HOUR), {"calls": agg("count")}, HOUR, DAY),
    )
}
NAMES = [*registry.query_names(), *OF_STREAMS_WITHOUT_QUERIES]
pytestmark = [
    pytest.mark.skipif(not REAL.is_dir(), reason="the real files are not in ../shared/data"),
    pytest.mark.timeout(0),
]


@pytest.fixture(scope="module")
def lake_of(tmp_path_factory):
    """By stream its files, ingested."""

    @cache
    def ingested(stream: str) -> Config:
        config = Config(tmp_path_factory.mktemp(stream), REAL)
        ingest(config, stream)
        return config

    return ingested


@pytest.fixture(autouse=True)
def defined(monkeypatch):
    """Queries without files."""
    hashed = code_hash.query_hash
    monkeypatch.setattr(
        code_hash, "query_hash", lambda name: name if name in OF_STREAMS_WITHOUT_QUERIES else hashed(name)
    )
    for name, query in OF_STREAMS_WITHOUT_QUERIES.items():
        monkeypatch.setitem(registry.queries(), name, query)


@pytest.mark.parametrize("name", NAMES)
def test_every_real_day_is_published(lake_of, name):
    stream = registry.stream(registry.query(name).stream)
    config = lake_of(stream.name)
    noted = Lake(config).read(f"partitions_{stream.name}", columns=["arrival_date"])["arrival_date"].to_pylist()
    days = sorted({*noted, *([stream.last_day] if stream.last_day else [])})
    for day in days:
        replay_day(config, name, day)
    assert sorted(run_table.published(Lake(config), name)) == days
    if name in OF_STREAMS_WITHOUT_QUERIES:
        assert counted(config, name) == events_by_key(config, name)


def counted(config: Config, name: str) -> Counter:
    """By key, null among them, the events that the end's windows hold, and those that came too late."""
    [key] = registry.query(name).key
    return of_statement(
        config,
        f"SELECT {key}, sum(n) FROM (SELECT {key}, events AS n FROM {name}_final "
        f"UNION ALL SELECT {key}, 1 FROM {name}_late) GROUP BY ALL",
    )


def events_by_key(config: Config, name: str) -> Counter:
    query = registry.query(name)
    found = of_statement(config, f"SELECT {query.key[0]}, count(*) FROM silver_{query.stream} GROUP BY ALL")
    assert found[None] > 1_000
    return found


def of_statement(config: Config, statement: str) -> Counter:
    rows = statements.run(Lake(config), statement).to_pylist()
    return Counter({key: int(count) for key, count in (row.values() for row in rows)})
