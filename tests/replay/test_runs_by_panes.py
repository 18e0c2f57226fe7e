"""A run that reads panes of earlier days makes the rows of one that reads events, whatever became of the panes."""

import hashlib
import random
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from tests.support.engines import ENGINES
from tests.support.replay import toy
from tests.support.replay.work import run_days
from tests.support.replay.work import work_of as work_now
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate.gate import Gate
from windrow.pipelines.gate.recount.query_days import AuditedDays
from windrow.pipelines.ledger import code_hash
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.replay import kept_panes
from windrow.pipelines.replay.audit import Audited
from windrow.pipelines.tables.pane_tables import pane_table
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.errors import GateFailed
from windrow.schemas.query import Query, agg, month, sliding, tumbling, week
from windrow.schemas.side_tables import panes_name
from windrow.schemas.tables import Table, bucket_of, partitions_table

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NEW_YORK = "America/New_York"
"""Whose clocks change on the toy stream's second day."""
WINDOWS = {
    "tumbling": tumbling(2 * DAY),
    "sliding": sliding(3 * DAY, DAY),
    "often": sliding(36 * HOUR, 5 * HOUR),
    "gaps": sliding(36 * HOUR, 2 * DAY),
    "of a zone": sliding(2 * DAY, DAY, zone=NEW_YORK),
    "parts of days": sliding(2 * DAY, 6 * HOUR, zone=NEW_YORK),
    "week": week(NEW_YORK),
    "month": month(1, None, NEW_YORK),
}
AGGREGATES = {
    "n": agg("count"),
    "known": agg("count", "parts"),
    "places": agg("count", "place"),
    "weight": agg("sum", "weight"),
    "parts": agg("sum", "parts"),
    "mean": agg("mean", "weight"),
    "mean_parts": agg("mean", "parts"),
    "least": agg("min", "weight"),
    "most": agg("max", "parts"),
}
WHERE = ((), (("parts", ">", 0),), (("place", "not_null", None),), (("parts", ">", 99),))
pytestmark = [pytest.mark.slow, pytest.mark.few_tests(1)]


def asked(kind: str, chance: random.Random) -> Query:
    waits = {"lateness": chance.choice([0, 1, 5]) * HOUR, "allowed_lateness": chance.choice([0, 0, 2, 20]) * HOUR}
    names = chance.sample(sorted(AGGREGATES), chance.randrange(1, 5))
    return Query(
        "asked",
        "toy",
        key=chance.choice([("place",), ("kind",), ("kind", "place"), ()]),
        window=WINDOWS[kind],
        aggregates={name: AGGREGATES[name] for name in names},
        emit=chance.choice(["final", "watermark"]),
        where=chance.choice(WHERE),
        **waits,
    )


@pytest.fixture
def toys(tmp_path, monkeypatch) -> Config:
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    config = Config(tmp_path / "home", tmp_path / "landing", asked_engine="local")
    ingest(config, 11)
    return config


def ingest(config: Config, *seeds: int) -> None:
    """Events of these seeds, and what an ingest notes of each day."""
    events = [row for seed in seeds for row in toy.events(seed)]
    for number, row in enumerate(events):
        row["path"] = f"{number:05}"
    toy.build(config, events, bucket_of)
    lake, table = Lake(config), partitions_table(toy.STREAM)
    noted = lake.read(table.name).to_pylist()
    for day in noted:
        rows = sorted(repr({**row, "path": ""}) for row in events if row["arrival"].date() == day["arrival_date"])
        day["silver_digest"] = hashlib.sha256("".join(rows).encode()).hexdigest()
    lake.replace(table, {}, noted)


def lakes(config: Config) -> list[Lake]:
    """The same lake: runs of the first read panes wherever they can, those of the second never."""
    return [Lake(replace(config, asked_panes=asked)) for asked in (True, False)]


def rows_of(lake: Lake, tables: QueryTables, days: list[date]) -> dict[str, list[str]]:
    """What the run of these days leaves; the gate finds nothing wrong with it."""
    made = run_days(lake, tables, days)
    found = laws(lake, tables, made)
    assert all(verdict.passed for of_day in found.values() for verdict in of_day), found
    found = {str(day): repr((each.inputs, each.counts["rows"], each.counts["late_rows"])) for day, each in made.items()}
    among = [str(day) for day in days]
    for table in (tables.audit, tables.late_audit):
        rows = lake.read(table.name, filters=[(table.partition_by[0], "in", among)])
        found[table.name] = sorted(map(repr, rows.to_pylist()))
    return found


def laws(lake: Lake, tables: QueryTables, made: dict[date, Audited], **versions: int) -> dict[date, list[Verdict]]:
    """What the laws say of these days' rows; versions: of tables that were changed since."""
    of_run = replace(next(iter(made.values())).versions, **versions)
    return Gate(lake, engine_of(lake.config)).laws_of_rows(AuditedDays(tables, tuple(made), of_run))


@pytest.mark.takes(60)
@pytest.mark.parametrize("kind", WINDOWS)
@pytest.mark.parametrize("seed", range(3))
def test_days_with_panes_are_days_without(toys, kind, seed):
    chance = random.Random(f"{kind} {seed}")
    (lake, without), used = lakes(toys), 0
    tables = QueryTables.of(asked(kind, chance))
    days = [day for day in toy.days() if day != toy.FIRST_DAY]
    for day in [toy.LAST_DAY, *chance.choices(days, k=5)]:
        asked_days = [day] if chance.random() < 0.7 else [each for each in days if each >= day]
        wanted = rows_of(without, tables, asked_days)
        used += work_now(lake, tables, *asked_days).panes is not None
        for _ in range(chance.choice((1, 1, 2))):
            assert rows_of(lake, tables, asked_days) == wanted, asked_days
        if chance.random() < 0.4:  # other files under the same days, and a day that has lost all of its events
            ingest(toys, *chance.choice([(11,), (11, 12), (12,)]))
        if chance.random() < 0.2:
            shutil.rmtree(lake.folder(panes_name("asked")), ignore_errors=True)
    assert used, "no run could read panes"


@ENGINES
def test_both_engines_make_and_read_the_same_panes(toys, engine):
    lake, without = lakes(replace(toys, asked_engine=None))
    tables = QueryTables.of(replace(asked("sliding", random.Random(1)), aggregates=AGGREGATES, where=()))
    wanted = rows_of(without, tables, [toy.LAST_DAY])
    assert work_now(lake, tables, toy.LAST_DAY).panes is not None
    assert rows_of(lake, tables, [toy.LAST_DAY]) == wanted
    assert lake.row_count(panes_name("asked")) > 0


SIMPLE = Query(
    "asked",
    "toy",
    key=("kind",),
    window=sliding(3 * DAY, DAY),
    aggregates=AGGREGATES,
    lateness=HOUR,
    allowed_lateness=2 * HOUR,
)


def failing(found: dict[date, list[Verdict]]) -> set[str]:
    return {
        verdict.check_name.partition(":")[0] for of_day in found.values() for verdict in of_day if not verdict.passed
    }


def change(lake: Lake, table: Table, change_row: Callable[[dict], dict | None]) -> int:
    """Make one row of a table another, or none; the version."""
    rows = sorted(lake.read(table.name).to_pylist(), key=repr)
    place = next(place for place, row in enumerate(rows) if change_row(row) != row)
    rows[place] = change_row(rows[place])
    return lake.replace(table, {}, [row for row in rows if row is not None])


@pytest.fixture
def simple(toys) -> tuple[Lake, QueryTables, Table]:
    """The table of panes is there; the last day's run has read it."""
    (lake, _), tables = lakes(toys), QueryTables.of(SIMPLE)
    rows_of(lake, tables, [toy.LAST_DAY])
    return lake, tables, pane_table(tables)


@pytest.mark.parametrize("name", ["events", *AGGREGATES])
def test_the_gate_finds_a_row_that_is_wrong(simple, name):
    lake, tables, _ = simple
    made = run_days(lake, tables, [toy.LAST_DAY])
    version = change(lake, tables.audit, lambda row: {**row, name: 1 + (row[name] or 0)})
    assert failing(laws(lake, tables, made, audit=version)) & {"law 3", "law 5"}


def other_state(row: dict) -> dict:
    """One event more."""
    words = np.frombuffer(row["pane_state"], "<i8").copy()
    words[0] += 1
    return {**row, "pane_state": words.tobytes()}


DAMAGES = {
    "state": other_state,
    "other key": lambda row: {**row, "kind": 5},
    "gone": lambda row: None,
    "events": lambda row: {**row, "pane_events": row["pane_events"] + 1},
    "sum": lambda row: {**row, "recounted_3": (row["recounted_3"] or 0.0) + 1e6},
    "values": lambda row: {**row, "values_5": row["values_5"] + 1},
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_gate_finds_rows_of_damaged_panes_and_trusts_no_damaged_recount(simple, damage):
    lake, tables, panes = simple
    second = toy.FIRST_DAY + DAY

    def damaged(row: dict) -> dict | None:
        is_read = (row["kind"], row["arrival_date"]) == (1, second) and row["start"] >= toy.at(second)
        return DAMAGES[damage](row) if is_read and row["values_5"] else row

    change(lake, panes, damaged)
    found = failing(laws(lake, tables, run_days(lake, tables, [toy.LAST_DAY])))
    assert bool(found & {"law 3", "law 5"}) == (damage in ("state", "other key", "gone"))


def test_panes_that_count_other_events_than_silver_has_are_not_kept(toys, monkeypatch):
    (lake, _), tables, make = lakes(toys), QueryTables.of(SIMPLE), kept_panes.states_of_groups

    def one_lost(columns, plan):
        return make(columns._replace(valid=columns.valid & (np.arange(columns.valid.shape[1]) > 0)), plan)

    monkeypatch.setattr(kept_panes, "states_of_groups", one_lost)
    with pytest.raises(GateFailed, match="1 of .* panes count other events"):
        run_days(lake, tables, [toy.LAST_DAY])
    assert lake.row_count(panes_name("asked")) == 0
