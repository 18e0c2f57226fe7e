"""A batch makes of each day what a run of that day alone makes: rows, late rows, what is left for the next day, and
what the ledger has; in any cut of the days into batches."""

import random
from dataclasses import replace
from datetime import date, timedelta
from itertools import product

import pytest

from pipelines.config import Config
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger import code_hash
from pipelines.replay.audit import Audited
from pipelines.runs.replay import chains
from schemas.buckets import bucket_of
from schemas.query import EMITS, Query, agg, rolling, sliding, spanning, tumbling
from tests.replay.test_days_with_state import WINDOWS as IN_ORDER
from tests.support.replay import toy
from tests.support.replay.work import run_days

HOUR = timedelta(hours=1)
WINDOWS = {
    "tumbling": tumbling(HOUR),
    "sliding": sliding(3 * HOUR, HOUR),
    "rolling": rolling(2 * HOUR),
    "spanning": spanning(2 * HOUR, HOUR),
    **IN_ORDER,
}
AGGREGATES = {"n": agg("count"), "weights": agg("sum", "weight"), "heaviest": agg("max", "weight")}
ROUNDED = {**AGGREGATES, "spread": agg("std", "weight")}
KEYS = [("place",), ("kind",), ()]
pytestmark = pytest.mark.few_tests(1)


def asked(kind: str, emit: str, chance: random.Random) -> Query:
    window, key = WINDOWS[kind], chance.choice(KEYS)
    exact = chance.random() < 0.7 or kind in IN_ORDER
    waits = {"lateness": HOUR, "allowed_lateness": chance.choice([0, 2, 30]) * HOUR}
    return Query(
        f"asked_{kind}", "toy", key=key, window=window, aggregates=AGGREGATES if exact else ROUNDED, emit=emit, **waits
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
    counts = {name: n for name, n in audited.counts.items() if not name.startswith("keys_by") and name != "state_bytes"}
    versions = replace(audited.versions, audit=0, late_audit=0, state=None, published=None)
    return digests, state, counts, versions


@pytest.fixture
def toys(tmp_path, monkeypatch):
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    config = Config(tmp_path / "home", tmp_path / "landing", asked_engine="local")
    toy.build(config, toy.events(seed=11), bucket_of)
    return config


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "emit"), list(product(WINDOWS, EMITS)))
def test_days_at_once_are_days_one_by_one(toys, kind, emit):
    chance = random.Random(f"{kind} {emit}")
    query = asked(kind, emit, chance)
    lake, tables, days = Lake(toys), QueryTables.of(query), toy.days()
    one_by_one = facts({day: made for each in days for day, made in run_days(lake, tables, [each]).items()})
    rows = held(lake, tables)
    assert any(rows.values())
    for _ in range(2):
        parts = parts_of(days, chance, tables.state is not None)
        if tables.state is not None:
            parts = [chain for part in parts for chain in chains(lake, tables, part)]
        made = facts({day: each for part in parts for day, each in run_days(lake, tables, part).items()})
        for day in days:
            assert made[day] == one_by_one[day], (day, parts)
        assert held(lake, tables) == rows, parts
