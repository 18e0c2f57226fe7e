"""Verdicts: what each check of the gate found, by table version."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime

import pyarrow as pa

from pipelines.lake.lake import Lake
from pipelines.ledger.entry import Run
from schemas.tables import VERDICTS


@dataclass(frozen=True)
class Verdict:
    """What one check found on one version of a table.

    figure: what was measured; allowed: its limit; offending: SQL for `windrow query` that shows the rows
    which broke it (None where the check holds). `table_name` and `table_version` name exactly what was checked.
    """

    check_name: str
    passed: bool
    figure: str
    allowed: str
    offending: str | None = None
    table_name: str = ""
    table_version: int = -1


def write(lake: Lake, run: Run, verdicts: Iterable[Verdict]) -> None:
    """Append the verdicts on one run. Without any nothing is written."""
    checked_at = datetime.now(UTC)
    rows = [{**run.identity, **vars(verdict), "at": checked_at} for verdict in verdicts]
    if rows:
        lake.ensure(VERDICTS)
        lake.replace(VERDICTS, None, rows)


def verdicts_on(lake: Lake, table: str, day: date, columns: list[str] | None = None) -> pa.Table:
    """Verdicts on a table and a day since the table was made: one made anew counts from version 0 again."""
    if lake.version(VERDICTS.name) is None:
        return lake.schema(VERDICTS).empty_table()
    lake.ensure(VERDICTS)  # a table of another definition is reported as that
    made = lake.created_at(table)
    filters = [("table_name", "=", table), ("logical_date", "=", day), ("at", ">=", made)]
    return lake.read(VERDICTS.name, filters=filters, columns=columns)


def newest_version(lake: Lake, table: str, day: date) -> int | None:
    """The newest version of a table that has verdicts for a day, whatever they are; None: none."""
    rows = verdicts_on(lake, table, day, ["table_version"])
    return max(rows["table_version"].to_pylist(), default=None)
