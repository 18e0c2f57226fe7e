"""Verdicts: what each check of the gate found, by table version."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import pyarrow as pa

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.entry import Run
from windrow.schemas.ledger_tables import VERDICTS

if TYPE_CHECKING:
    from windrow.pipelines.tables.query_tables import QueryTables  # which knows the kernels: a recount uses none

Day = TypeVar("Day", bound=date | None)
PASSED = "passed"
"""The word for a version of which all checks hold."""


@dataclass(frozen=True)
class Verdict:
    """What one check found on one version of a table. figure: what was measured; allowed: its limit; offending: SQL for
    `windrow query` that shows the rows which broke it (None where the check holds); validation: file of the validation
    result, below `Config.expectations`, None for a law."""

    check_name: str
    passed: bool
    figure: str
    allowed: str
    offending: str | None = None
    table_name: str = ""
    table_version: int = -1
    validation: str | None = None


class Passed(NamedTuple):
    """A version of a query's audit rows that passed the gate, from which snapshot they were made, and by which run."""

    snapshot: str
    version: int
    run_id: str


def write(lake: Lake, run: Run, verdicts: Mapping[Day, Iterable[Verdict]], snapshot: str) -> None:
    """Append the verdicts on what one run read or made, by day, in one commit. Without any nothing is written."""
    shared = {**run.identity, "at": datetime.now(UTC), "snapshot": snapshot}
    rows = [{**shared, "logical_date": day, **vars(verdict)} for day, of_day in verdicts.items() for verdict in of_day]
    if rows:
        lake.ensure(VERDICTS)
        lake.append(VERDICTS, rows)


def verdicts_on(lake: Lake, table: str, filters: list[tuple]) -> pa.Table:
    """Since the table was made: one made anew counts its versions from 0 again. `filters`: of `Lake.read`."""
    if lake.version(VERDICTS.name) is None or lake.version(table) is None:
        return lake.schema(VERDICTS).empty_table()
    lake.ensure(VERDICTS)  # a table of another definition is reported as that
    made = datetime.fromtimestamp(lake.state(table).made_ms / 1000, UTC)
    return lake.read(VERDICTS.name, filters=[("table_name", "=", table), ("at", ">=", made), *filters])


def passed_on_days(lake: Lake, table: str, since: Mapping[date, int], newest: int) -> dict[date, set[tuple[str, str]]]:
    """The names and limits of the checks that days have passed in a version from one of their own to the newest."""
    rows = verdicts_on(lake, table, [("logical_date", "in", [*since]), ("passed", "=", True)]).to_pylist()
    passed: dict[date, set[tuple[str, str]]] = {day: set() for day in since}
    for row in rows:
        if since[row["logical_date"]] <= row["table_version"] <= newest:
            passed[row["logical_date"]].add((row["check_name"], row["allowed"]))
    return passed


def newest_passed_all(lake: Lake, table: str, checks: list[str], snapshot: str) -> bool:
    """Whether each of these checks passed when it was last asked of the table, and that was of this snapshot."""
    rows = verdicts_on(lake, table, [("check_name", "in", checks)]).sort_by("at").to_pylist()
    newest = {row["check_name"]: row["passed"] and row["snapshot"] == snapshot for row in rows}
    return all(newest.get(check, False) for check in checks)


def newest_passed(lake: Lake, tables: "QueryTables", days: Collection[date]) -> dict[date, Passed]:
    """Of each day's audit rows that passed every check of one look of the gate those made from the newest snapshot, and
    of these the newest; days of which none has passed are left out."""
    on_rows, on_late = (
        verdicts_on(lake, table.name, [("logical_date", "in", list(days))]).to_pylist()
        for table in (tables.audit, tables.late_audit)
    )
    # The rows of one look at a day were written together and have one time. It fails as a whole: late rows that broke a
    # law keep the results out too.
    failed = {_look(row) for row in (*on_rows, *on_late) if not row["passed"]}
    found: dict[date, Passed] = {}
    for row in on_rows:
        if _look(row) not in failed:
            # A row from before snapshots were kept is older than any.
            passed = Passed(row["snapshot"] or "", row["table_version"], row["run_id"])
            found[row["logical_date"]] = max(passed, found.get(row["logical_date"], passed))
    return found


def _look(verdict: dict) -> tuple[date, str, datetime]:
    return verdict["logical_date"], verdict["run_id"], verdict["at"]
