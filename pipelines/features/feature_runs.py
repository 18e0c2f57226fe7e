"""What the ledger keeps of runs of feature sets; read without a kernel."""

import hashlib
from dataclasses import dataclass

from windrow.pipelines.delta.day_files import by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.entry import TABLE
from windrow.pipelines.ledger.run_table import StepRow
from windrow.schemas.feature_set import KNOWN

STEP = "features"
KNOWLEDGE, TIME_COLUMN, COLUMNS = "knowledge", "time", "columns"
"""In what the ledger keeps of a run, beside what entry.py names: what features are made of, the labels' time column,
and which columns are features."""


@dataclass(frozen=True)
class FeatureRequest:
    """What a user asks for. labels: a file or a table, also the table itself, whose labels are then asked again; time:
    their time column, by default the only one of times with a zone; knowledge: KNOWN, TRUE or BOTH."""

    features: str
    labels: str
    into: str
    knowledge: str = KNOWN
    time: str | None = None


def newest_runs(lake: Lake) -> dict[str, StepRow]:
    """By table, the newest run that made it."""
    rows = run_table.rows(lake, [("step", "=", STEP), ("state", "=", "done")])
    return {row.inputs[TABLE]: row for row in rows}


def rows_digest(lake: Lake, table: str, version: int | None = None) -> str:
    """Of what a published table holds of each day, by its statistics."""
    return hashlib.sha256(repr(sorted(by_day(lake, table, version).items())).encode()).hexdigest()[:16]
