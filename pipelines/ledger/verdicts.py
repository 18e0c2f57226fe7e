"""Verdicts: what each check of the gate found, by table version."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from pipelines.lake.lake import Lake
from pipelines.ledger.entry import Run
from schemas.tables import VERDICTS

if TYPE_CHECKING:
    from pipelines.lake.query_tables import QueryTables  # which knows the kernels: a recount uses none


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


class Passed(NamedTuple):
    """A version of a query's audit rows that passed the gate, and the run of which it is."""

    version: int
    run_id: str


def write(lake: Lake, run: Run, verdicts: Iterable[Verdict]) -> None:
    """Append the verdicts on one run. Without any nothing is written."""
    checked_at = datetime.now(UTC)
    rows = [{**run.identity, **vars(verdict), "at": checked_at} for verdict in verdicts]
    if rows:
        lake.ensure(VERDICTS)
        lake.replace(VERDICTS, None, rows)


def verdicts_on(lake: Lake, table: str, day: date) -> pa.Table:
    """Verdicts on a table and a day since the table was made: one made anew counts from version 0 again."""
    if lake.version(VERDICTS.name) is None:
        return lake.schema(VERDICTS).empty_table()
    lake.ensure(VERDICTS)  # a table of another definition is reported as that
    made = lake.created_at(table)
    filters = [("table_name", "=", table), ("logical_date", "=", day), ("at", ">=", made)]
    return lake.read(VERDICTS.name, filters=filters)


def newest_passed(lake: Lake, tables: "QueryTables", day: date) -> Passed | None:
    """The newest version of a day's audit rows that passed every check of one look of the gate; None: none has."""
    on_rows, on_late = (
        verdicts_on(lake, name, day).to_pylist() for name in (tables.audit.name, tables.late_audit.name)
    )
    # The rows of one look were written together and have one time. It fails as a whole: late rows that broke a law
    # keep the results out too.
    failed = {_look(row) for row in (*on_rows, *on_late) if not row["passed"]}
    passed = [row for row in on_rows if _look(row) not in failed]
    return max((Passed(row["table_version"], row["run_id"]) for row in passed), default=None)


def _look(verdict: dict) -> tuple[str, datetime]:
    return verdict["run_id"], verdict["at"]
