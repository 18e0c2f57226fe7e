"""The table `farm_runs`: what each farm of a model's run did."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from kernels.farm.results import Metrics
from pipelines.delta.lake import Lake
from pipelines.ledger.entry import Run
from schemas.ledger_tables import FARM_RUNS


class FarmRun(NamedTuple):
    """What one farm did: `statuses` has windows by status."""

    function: str
    host: str
    tuples: int
    statuses: dict[str, int]
    metrics: Metrics


SHOWN = (
    *("host", "workers", "windows", "tuples", "statuses"),
    *("completion_s", "bandwidth", "load_balance", "fragmentation"),
)
"""What a command shows of each farm."""


def record(lake: Lake, farms: Mapping[Run, Sequence[FarmRun]]) -> None:
    """A row for each farm of some runs, in one commit; none without any."""
    if not farms:
        return
    lake.ensure(FARM_RUNS)
    shared = {"at": datetime.now(UTC), "engine": lake.config.engine}
    rows = [{**run.identity, **shared, **_row(farm)} for run, of_run in farms.items() for farm in of_run]
    lake.append(FARM_RUNS, rows)


def of_run(lake: Lake, query: str, day: date, run_id: str) -> list[dict]:
    """What the farms of a run did last, by status and metric; none where there were no windows."""
    if lake.version(FARM_RUNS.name) is None:
        return []
    of_run = [("run_id", "=", run_id), ("query", "=", query), ("logical_date", "=", day)]
    rows = lake.read(FARM_RUNS.name, filters=of_run, columns=["at", *SHOWN]).to_pylist()
    newest = max((row["at"] for row in rows), default=None)
    return [{name: row[name] for name in SHOWN} for row in rows if row["at"] == newest]


def _row(farm: FarmRun) -> dict:
    metrics = farm.metrics
    return {
        "function": farm.function,
        "host": farm.host,
        "workers": len(metrics.windows_of_worker),
        "windows": metrics.windows,
        "tuples": farm.tuples,
        "statuses": json.dumps(farm.statuses, sort_keys=True),
        "completion_s": metrics.completion_s,
        "calculation_s": metrics.calculation_s,
        "bandwidth": metrics.bandwidth,
        "ideal_bandwidth": metrics.ideal_bandwidth,
        "load_balance": metrics.load_balance,
        "fragmentation": metrics.fragmentation,
        "held_bytes": metrics.greatest_held_bytes,
    }
