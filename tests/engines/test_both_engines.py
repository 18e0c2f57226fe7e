"""A lake that one engine began and the other continues is, row for row, the one that the local engine makes alone: over
all files of the five real streams, and the busiest day of each of their queries."""

import shutil
from datetime import date
from pathlib import Path

import pytest

from pipelines import flow
from pipelines.config import Config
from pipelines.ingest import landing
from pipelines.lake import databases
from pipelines.lake.lake import Lake
from pipelines.runs.replay_day import replay_day
from schemas import registry
from tests.support.lakes import ingest, tables_of

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"
STREAMS = registry.stream_names()
ORDERS = {"local alone": ("local", "local"), "spark first": ("spark", "local"), "local first": ("local", "spark")}
# What depends on how many commits there were.
NOT_COMPARED = {"silver_version"}
pytestmark = [
    pytest.mark.jvm,
    pytest.mark.skipif(not (REAL / "bikes").is_dir(), reason="the real data are not in ../shared/data"),
    pytest.mark.timeout(1_200),
]


def land(config: Config, paths: list[str]) -> None:
    """Copy real files, with their times, into the landing folder."""
    for path in paths:
        (config.landing / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(REAL / path, config.landing / path)


@pytest.fixture(scope="module", params=STREAMS)
def lakes(request, tmp_path_factory) -> dict[str, Config]:
    """By order of the engines a lake of one stream. A second ingest finds the other half of the files, whose records
    compete with those of the first, and one of them under two names."""
    stream, home = registry.stream(request.param), tmp_path_factory.mktemp(request.param)
    listed = landing.listing(REAL, stream)
    events, others = list(listed.events), list(listed.no_events)
    shared = Config(home, home / "landing")
    configs = {order: [Config(home / order, shared.landing, asked_engine=each) for each in engines]
               for order, engines in ORDERS.items()}  # fmt: skip
    for step, paths in enumerate((events[::2] + others, events)):
        land(shared, paths)
        if step:
            copied = Path(shared.landing, events[0])
            shutil.copy2(copied, copied.with_name(f"{copied.name.removesuffix('.gz')}-again{copied.suffix}"))
        for of_order in configs.values():
            ingest(of_order[step], stream.name)
    return {order: engines[-1] for order, engines in configs.items()}


def digests(config: Config, tables: list[str]) -> dict[str, tuple]:
    """Rows of each table, and a digest of these in any order."""
    lake, found = Lake(config), {}
    with databases.open_database(config.scratch) as database:
        for name in tables:
            rows = lake.dataset(name)
            columns = ", ".join(f'"{each}"' for each in rows.schema.names if each not in NOT_COMPARED)
            database.register("rows", rows)
            hashed = f"SELECT hash({columns}) AS hashed FROM rows"
            found[name] = database.sql(f"SELECT count(*), sum(hashed), bit_xor(hashed) FROM ({hashed})").fetchall()
    return found


def busiest_day(config: Config, stream: str) -> date:
    rows = Lake(config).read(f"partitions_{stream}").to_pylist()
    return max(rows, key=lambda row: (row["events"], row["arrival_date"]))["arrival_date"]


def test_ingests_of_both_engines_leave_the_same_rows(lakes):
    (stream,) = {path.name for path in lakes["local alone"].ingests.iterdir()}
    tables = [table.name for table in tables_of(stream).all]
    alone = digests(lakes["local alone"], tables)
    assert alone[f"silver_{stream}"][0][0] > 0
    for order, config in lakes.items():
        assert digests(config, tables) == alone, order


def test_replays_of_both_engines_publish_the_same_rows(lakes):
    (name,) = {path.name for path in lakes["local alone"].ingests.iterdir()}
    day = busiest_day(lakes["local alone"], name)
    for query in flow.scheduled_queries(registry.stream(name)):
        reports = {order: replay_day(config, query.name, day) for order, config in lakes.items()}
        assert len({tuple(report.rows.items()) for report in reports.values()}) == 1
        alone = digests(lakes["local alone"], list(reports["local alone"].rows))
        for order, config in lakes.items():
            assert digests(config, list(alone)) == alone, (order, query.name)
