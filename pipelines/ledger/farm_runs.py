"""The table `farm_runs`: what each farm of a model's run did."""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from windrow.kernels.farm.results import Metrics
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.entry import Run
from windrow.schemas.ledger_tables import FARM_RUNS


class FarmRun(NamedTuple):
    """What one farm did: `statuses` has windows by status."""

    function: str
    host: str
    tuples: int
    statuses: dict[str, int]
    metrics: Metrics


_METRICS = ("windows", "completion_s", "calculation_s", "bandwidth", "ideal_bandwidth", "load_balance", "fragmentation")
# What a command shows of each farm.
_SHOWN = ["host", "workers", "windows", "tuples", "statuses"]
_SHOWN += ["completion_s", "bandwidth", "load_balance", "fragmentation"]


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
    rows = lake.read(FARM_RUNS.name, filters=of_run, columns=["at", *_SHOWN]).to_pylist()
    newest = max((row["at"] for row in rows), default=None)
    return [{name: row[name] for name in _SHOWN} for row in rows if row["at"] == newest]


def _row(farm: FarmRun) -> dict:
    return {
        **{name: getattr(farm, name) for name in ("function", "host", "tuples")},
        **{name: getattr(farm.metrics, name) for name in _METRICS},
        "workers": len(farm.metrics.windows_of_worker),
        "statuses": json.dumps(farm.statuses, sort_keys=True),
        "held_bytes": farm.metrics.greatest_held_bytes,
    }
