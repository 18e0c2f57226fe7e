"""What is read of the ledger is what a plain look at every row finds."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from tests.support.lakes import DAYS
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import newest_steps, run_table
from windrow.schemas.ledger_tables import RUNS

# A ledger that is older than a column.
BEFORE_PAGES = replace(RUNS, columns=RUNS.columns[:-1])
NAMES = ("run_id", "step", "stage", "query", "logical_date", "state", "at")
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def commit(chance: Random, number: int) -> list[dict]:
    """The rows of a step of a run's days, which end at one time; each after its stages."""
    step = chance.choice(["ingest", "audit", "publish"])
    at = FIRST + timedelta(minutes=chance.randrange(30), seconds=number)
    run_id = f"run {chance.randrange(12)}"
    asked = [(query, day) for query in ("hourly", "daily") for day in DAYS if chance.random() < 0.5]
    found = []
    for query, day in [(None, None)] if step == "ingest" else asked:
        state = chance.choice(["done", "done", "failed", "skipped"])
        for stage in (*chance.sample(["replay", "gate"], chance.randrange(3)), None):
            plain = dict.fromkeys(("inputs", "outputs", "counts"), "{}") | {"code_hash": "", "definition_hash": ""}
            of = {"run_id": run_id, "stream": "trips", "query": query, "logical_date": day}
            found.append({**plain, **of, "step": step, "stage": stage, "state": state, "at": at, "seconds": 1.0})
    return found


def having(rows: list[dict], runs: set[str], stages: bool = False) -> list[tuple]:
    asked = [row for row in rows if row["run_id"] in runs and (stages or row["stage"] is None)]
    return [tuple(row[name] for name in NAMES) for row in sorted(asked, key=lambda row: row["at"])]


def found(rows: list[run_table.StepRow]) -> list[tuple]:
    return [tuple(getattr(row, name) for name in NAMES) for row in rows]


@pytest.mark.parametrize("seed", range(10))
def test_the_newest_rows_are_those_of_a_plain_look(tmp_path, seed):
    chance, lake = Random(seed), Lake(Config(tmp_path, tmp_path / "landing"))
    assert newest_steps.newest(lake) == newest_steps.last(lake, 3) == run_table.rows(lake) == []
    commits = [commit(chance, number) for number in range(chance.randrange(1, 30))]
    older = chance.randrange(len(commits) + 1)
    for number, rows in enumerate(commits):
        table = BEFORE_PAGES if number < older else RUNS
        lake.ensure(table)
        lake.append(table, rows)
    every = [row for rows in commits for row in rows]
    assert found(run_table.rows(lake, stages=True)) == having(every, {row["run_id"] for row in every}, stages=True)
    whole = [row for row in every if row["stage"] is None]
    for step in (None, "audit", "publish"):
        of_step = [row for row in whole if step in (None, row["step"])]
        done = {of_day(row): row["at"] for row in sorted(of_step, key=lambda row: row["at"]) if row["state"] == "done"}
        runs = {row["run_id"] for row in of_step if row["at"] >= done.get(of_day(row), FIRST)}
        assert found(newest_steps.newest(lake, step)) == having(of_step, runs)
    tries = {(row["run_id"], *of_day(row)): row["at"] for row in sorted(whole, key=lambda row: row["at"])}
    ends = sorted((at, run_id) for (run_id, *_), at in tries.items())
    assert found(newest_steps.last(lake, 3)) == having(whole, {run_id for _, run_id in ends[-3:]})
    for query in ("hourly", None):
        asked = [("step", "in", ["audit", "ingest"]), *([("query", "=", query)] if query else [])]
        expected = [row for row in whole if row["step"] in ("audit", "ingest") and query in (None, row["query"])]
        assert found(run_table.rows(lake, asked)) == having(expected, {row["run_id"] for row in expected})


def of_day(row: dict) -> tuple:
    return row["stream"], row["query"], row["logical_date"], row["step"]
