"""A batch makes of each day what a run of that day alone makes: rows, late rows, what is left for the next day, and
what the ledger has; in any cut of the days into batches."""

import random
from dataclasses import replace
from datetime import date, timedelta
from itertools import product, zip_longest

import pytest

from tests.replay.test_days_with_state import WINDOWS as IN_ORDER
from tests.support import landings
from tests.support.digests import digests
from tests.support.engines import ENGINES
from tests.support.lakes import DAYS, PATIENT, copied, ingest, lake_of
from tests.support.replay import landing, toy
from tests.support.replay.work import run_days
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import code_hash, run_table
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.replay import task
from windrow.pipelines.replay.audit import Audited
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.runs.replay import chains, replay, replay_day
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.errors import WindrowError
from windrow.schemas.query import EMITS, Query, agg, rolling, sliding, spanning, tumbling
from windrow.schemas.tables import bucket_of

HOUR = timedelta(hours=1)
WINDOWS = {
    "tumbling": tumbling(HOUR),
    "sliding": sliding(3 * HOUR, HOUR),
    "rolling": rolling(2 * HOUR),
    "spanning": spanning(2 * HOUR, HOUR),
    "several": {"two": sliding(2 * HOUR, HOUR), "rolls": rolling(2 * HOUR), "an_hour": tumbling(HOUR)},
    **IN_ORDER,
}
AGGREGATES = {"n": agg("count"), "weights": agg("sum", "weight"), "heaviest": agg("max", "weight")}
ROUNDED = {**AGGREGATES, "spread": agg("std", "weight")}
KEYS = [("place",), ("kind",), ()]
pytestmark = [pytest.mark.slow, pytest.mark.few_tests(1)]


def asked(kind: str, emit: str, chance: random.Random) -> Query:
    window, key = WINDOWS[kind], chance.choice(KEYS)
    windows = {"windows": window} if isinstance(window, dict) else {"window": window}
    exact = chance.random() < 0.7 or kind in IN_ORDER
    waits = {"lateness": HOUR, "allowed_lateness": chance.choice([0, 2, 30]) * HOUR}
    return Query(
        f"asked_{kind}", "toy", key=key, aggregates=AGGREGATES if exact else ROUNDED, emit=emit, **waits, **windows
    )


def parts_of(days: list[date], chance: random.Random, in_order: bool) -> list[list[date]]:
    """The days in a random cut; of days that depend on no other's in any order, with gaps."""
    if not in_order:
        days = chance.sample(days, len(days))
    cuts = sorted(chance.sample(range(1, len(days)), chance.randrange(len(days))))
    return [sorted(days[low:high]) for low, high in zip([0, *cuts], [*cuts, len(days)], strict=True)]


def held(lake: Lake, tables: QueryTables) -> dict[str, list]:
    every = [each for each in (tables.audit, tables.late_audit, tables.state) if each is not None]
    return {each.name: sorted(map(repr, lake.read(each.name).to_pylist())) for each in every}


def facts(made: dict[date, Audited]) -> dict[date, tuple]:
    """Without versions, which count commits, and the kernels, which are of the pass."""
    return {day: _facts(each) for day, each in made.items()}


def _facts(audited: Audited) -> tuple:
    digests = {name: value for name, value in audited.inputs.items() if name != "state"}
    state = audited.inputs.get("state") and (audited.inputs["state"]["day"], audited.inputs["state"]["digest"])
    counts = _counted(audited.counts)
    versions = replace(audited.versions, audit=0, late_audit=0, state=None, published=None)
    return digests, state, counts, versions


@pytest.fixture
def toys(tmp_path, monkeypatch):
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    config = Config(tmp_path / "home", tmp_path / "landing", asked_engine="local")
    toy.build(config, toy.events(seed=11), bucket_of)
    return config


@pytest.mark.parametrize(("kind", "emit"), list(product(WINDOWS, EMITS)))
def test_days_at_once_are_days_one_by_one(toys, monkeypatch, kind, emit):
    chance = random.Random(f"{kind} {emit}")
    query = asked(kind, emit, chance)
    lake, tables, days = Lake(toys), QueryTables.of(query), toy.days()
    one_by_one = facts({day: made for each in days for day, made in run_days(lake, tables, [each]).items()})
    rows = held(lake, tables)
    assert any(rows.values())
    for rows_at_once in (task.ROWS_AT_ONCE, 30):
        monkeypatch.setattr(task, "ROWS_AT_ONCE", rows_at_once)
        monkeypatch.setattr(task, "ROWS_OF_AN_EVENT", chance.choice((1, 64)))
        parts = parts_of(days, chance, tables.state is not None)
        if tables.state is not None:
            parts = [chain for part in parts for chain in chains(lake, tables, part)]
        made = facts({day: each for part in parts for day, each in run_days(lake, tables, part).items()})
        for day in days:
            assert made[day] == one_by_one[day], (day, parts)
        assert held(lake, tables) == rows, parts


QUERIES = ("bikes_daily", "bikes_last_hour", "bikes_refill", "farm_bikes_anomalies")


def in_batches(config: Config, chance: random.Random | None) -> None:
    """All days of the queries in a random cut, or one by one; days that go on from each other in their order."""
    if chance is None:
        for query in QUERIES:
            for day in DAYS:
                replay_day(config, query, day)
        return
    cut = {query: parts_of(DAYS, chance, not registry.query(query).context_free) for query in QUERIES}
    for days in zip_longest(*cut.values(), fillvalue=()):
        replay(config, dict(zip(cut, days, strict=True))).require()


def ledger_facts(config: Config) -> tuple[list, list, dict]:
    """Of each day: what its steps read and counted, what the gate found, and what is published."""
    lake = Lake(config)
    steps = [
        (
            row.query,
            row.logical_date,
            row.step,
            row.stage,
            row.state,
            _counted(row.counts),
            {name: value for name, value in row.inputs.items() if name in ("days", "arrivals_before", "state_digest")},
        )
        for row in run_table.rows(lake, [("stream", "=", "bikes")], stages=True)
        if row.query
    ]
    named = ("logical_date", "table_name", "check_name", "passed", "figure", "allowed", "offending")
    found = {tuple(row[name] for name in named) for row in lake.read("verdicts").to_pylist()}
    tables = [name + kind for name in QUERIES for kind in ("", "_late")]
    return sorted(map(repr, steps)), sorted(map(repr, found)), digests(config, tables)


def _counted(counts: dict) -> dict:
    return {name: n for name, n in counts.items() if not name.startswith("keys_by") and name != "state_bytes"}


@pytest.fixture(scope="module")
def one_by_one(first_ingested, tmp_path_factory):
    config = copied(first_ingested, tmp_path_factory.mktemp("one_by_one"))
    in_batches(config, None)
    return ledger_facts(config)


@ENGINES
@pytest.mark.takes(60)
@pytest.mark.parametrize("seed", range(3))
def test_any_cut_leaves_the_same_tables_verdicts_and_ledger(ingested, one_by_one, engine, seed):
    in_batches(ingested, random.Random(seed))
    for found, expected in zip(ledger_facts(ingested), one_by_one, strict=True):
        assert found == expected
    assert stale(Lake(ingested)) == []


@pytest.mark.takes(60)
@pytest.mark.parametrize("seed", range(2))
def test_a_backfill_that_is_killed_after_any_commit_goes_on_where_it_was(ingested, one_by_one, monkeypatch, seed):
    monkeypatch.setenv("WINDROW_ENGINE", "local")
    words = ("backfill", *QUERIES, "--from", str(DAYS[0]), "--to", str(DAYS[-1]))
    for commits in random.Random(seed).sample(range(1, 20), 3):
        landings.kill_after_commits(ingested, commits, *words)
    backfill(ingested, QUERIES, (DAYS[0], DAYS[-1])).require()
    *_, tables = ledger_facts(ingested)
    assert tables == one_by_one[-1]
    assert stale(Lake(ingested)) == []
    assert not any(run_table.rows(Lake(ingested), [("state", "=", "running")]))


FILES = {**landing.trips(), **landing.late_file()}
TWO_QUERIES = ("bikes_daily", "bikes_last_hour")
TABLES = [name + kind for name in TWO_QUERIES for kind in ("", "_late")]


@pytest.fixture(scope="module")
def in_order(tmp_path_factory) -> dict[str, tuple]:
    """Digests of the tables where all files landed before the first run."""
    return digests(lake_of(tmp_path_factory.mktemp("in_order"), FILES, *TWO_QUERIES), TABLES)


@PATIENT
@pytest.mark.nightly
@ENGINES
@pytest.mark.parametrize("seed", range(12))
def test_the_tables_end_the_same_in_any_order(config, engine, in_order, seed):
    chance, ran = random.Random(seed), set()
    for path in chance.sample(sorted(FILES), len(FILES)):
        landing.write(config.landing, {path: FILES[path]})
        ingest(config, "bikes")
        ran |= run_some(config, chance)
    left = {(query, day) for query in TWO_QUERIES for day in DAYS} - ran
    again = {(each.query, each.day) for each in stale(Lake(config))}
    for query, day in chance.sample(sorted(left | again), len(left | again)):
        replay_day(config, query, day)
    assert stale(Lake(config)) == []
    assert digests(config, TABLES) == in_order


def run_some(config: Config, chance: random.Random) -> set:
    """Runs of a few days, those that are known by then."""
    ran = set()
    for query, day in chance.sample([(query, day) for query in TWO_QUERIES for day in DAYS], 2):
        try:
            replay_day(config, query, day)
        except WindrowError as error:
            assert type(error).__name__ == "NothingArrived", error
        else:
            ran.add((query, day))
    return ran
