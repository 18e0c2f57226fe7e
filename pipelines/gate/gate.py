"""The gate: what must be true of the files that an ingest took, of each day of silver that a run reads, and of its
audit rows before they are published.

Expectations (`schemas/expectations.py`, run by Great Expectations) describe what each row must look like; the laws of
semantics §5 (`checks/`) count the rows again from silver. Checking raises nothing; requiring does.
"""

from collections.abc import Collection, Sequence
from datetime import date
from typing import NamedTuple

import duckdb

from pipelines.gate import checks
from pipelines.gate.recount.opening import open_recount
from pipelines.gate.recount.silver import open_day, open_files
from pipelines.lake.arrival_days import ArrivalDays
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.lake.snapshot import Snapshot, Touched
from pipelines.lake.stream_tables import StreamTables
from pipelines.ledger import verdicts
from pipelines.ledger.entry import Run
from pipelines.ledger.verdicts import Verdict
from schemas.errors import GateFailed
from schemas.expectations import Expectation, audit_expectations, late_expectations, silver_expectations

# Who validates where a check is asked for outside of a run.
NO_RUN = "no-run"


def check_files(
    lake: Lake, tables: StreamTables, snapshot: Snapshot, paths: Collection[str] | None = None
) -> list[Verdict]:
    """Check some landed files, by default all. O(rows of table files that may hold some of theirs)."""
    files = open_files(lake, tables, snapshot, paths)
    with files.connection:
        return checks.verdicts_on_files(files)


def check_silver(lake: Lake, tables: StreamTables, snapshot: Snapshot, day: date, events: int) -> list[Verdict]:
    """Check an arrival day of silver, of which ingest noted so many events. O(events of the day)."""
    silver = open_day(lake, tables, snapshot, day)
    with silver.connection as connection:
        checked = _OpenDay(lake, connection, day)
        return [
            *checked.expected("silver", silver.version, silver_expectations(tables.stream, day, events)),
            *checks.verdicts_on_silver(silver),
        ]


def check_audit(lake: Lake, tables: QueryTables, day: date, versions: AuditVersions) -> list[Verdict]:
    """Check a run's rows at exactly these versions. O(events of the look-back x windows of an event).

    Raises NotRecounted for a kind of windows that has no file in recount/kinds/.
    """
    recount = open_recount(lake, tables, day, versions)
    with recount.connection as connection:
        checked = _OpenDay(lake, connection, day)
        return [
            *checked.expected("audit_table", versions.audit, audit_expectations(tables.query, day)),
            *checked.expected("late_table", versions.late_audit, late_expectations(tables.query, day)),
            *checks.verdicts_on_rows(recount),
        ]


def record_files(lake: Lake, run: Run, tables: StreamTables, snapshot: Snapshot, touched: Touched) -> list[Verdict]:
    """Check the files that an ingest touched, and all where the snapshot that it found has not passed, as after a kill;
    write the verdicts into the ledger."""
    laws = [law.NAME for law in checks.checks("files")]
    right = verdicts.newest_passed_all(lake, tables.silver.name, laws, touched.since)
    if right and touched.since == snapshot.name:
        return []
    found = check_files(lake, tables, snapshot, touched.paths if right else None)
    verdicts.write(lake, run, {run.day: found}, snapshot.name)
    return found


def record_silver(
    lake: Lake, run: Run, tables: StreamTables, snapshot: Snapshot, days: ArrivalDays, dates: Sequence[date]
) -> list[Verdict]:
    """Check the days of silver that have not passed since they were made, and write the verdicts into the ledger.
    O(events of these days)."""
    found = {
        day: check_silver(lake, tables, snapshot, day, days.events(day))
        for day in _unchecked(lake, tables, snapshot, days, dates)
    }
    verdicts.write(lake, run, found, snapshot.name)
    return [verdict for of_day in found.values() for verdict in of_day]


def record_audit(lake: Lake, run: Run, tables: QueryTables, day: date, versions: AuditVersions) -> list[Verdict]:
    """Check a run's rows, and write the verdicts into the ledger."""
    found = check_audit(lake, tables, day, versions)
    verdicts.write(lake, run, {day: found}, versions.snapshot)
    return found


def require(found: list[Verdict]) -> None:
    """Raise GateFailed for the first check that failed: its figure, limit and the SQL that shows the rows."""
    for verdict in found:
        if not verdict.passed:
            raise GateFailed(verdict.check_name, verdict.figure, verdict.allowed, verdict.offending or "")


class _OpenDay(NamedTuple):
    """A day of tables that is being checked; the connection has views of their rows."""

    lake: Lake
    connection: duckdb.DuckDBPyConnection
    day: date

    def expected(self, view: str, version: int, expectations: tuple[Expectation, ...]) -> list[Verdict]:
        # Imported here: the library takes four seconds, and a day that was checked before doesn't need it.
        from pipelines.gate import expectations as library
        from pipelines.gate.project import TableBatch

        batch = TableBatch(self.lake.of_run.get("run_id") or NO_RUN, expectations[0].table, version, self.day)
        return library.verdicts_on(self.lake.config, self.connection, view, batch, expectations)


def _unchecked(
    lake: Lake, tables: StreamTables, snapshot: Snapshot, days: ArrivalDays, dates: Sequence[date]
) -> list[date]:
    """Days of which one check, with its limit, has not passed on the rows that the snapshot has."""
    passed = verdicts.passed_on_days(lake, tables.silver.name, dates)
    newest, laws = snapshot.version(tables.silver.name), {law.NAME for law in checks.checks("silver")}
    unchecked = []
    for day in dates:
        since = days.silver_version(day, newest)
        known = {each.check for each in passed.get(day, ()) if since <= each.version <= newest}
        asked = {(each.name, each.limit) for each in silver_expectations(tables.stream, day, days.events(day))}
        if not (known >= asked and {name for name, _ in known} >= laws):
            unchecked.append(day)
    return unchecked
