"""The gate: what must be true of a day's silver before a run, and of its audit rows before they are published.

Expectations (`schemas/expectations.py`, run by Great Expectations) describe what each row must look like; the laws of
semantics §5 (`checks/`) count the rows again from silver. Checking raises nothing; requiring does.
"""

from datetime import date

import duckdb

from pipelines.gate import checks
from pipelines.gate.recount.opening import open_recount
from pipelines.gate.recount.silver import open_silver
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.lake.stream_tables import StreamTables
from pipelines.ledger import verdicts
from pipelines.ledger.entry import Run
from pipelines.ledger.verdicts import Verdict
from schemas.errors import GateFailed
from schemas.expectations import Expectation, audit_expectations, late_expectations, silver_expectations


def check_silver(lake: Lake, tables: StreamTables, day: date) -> list[Verdict]:
    """Check an arrival day of silver at its newest version. O(events of the day + files of the stream)."""
    subject = open_silver(lake, tables, day)
    with subject.connection:
        expectations = silver_expectations(tables.stream, day, subject.events_noted)
        known = _known_verdicts(lake, expectations, subject.version, day)
        expected = known or _expected(subject.connection, "silver", subject.version, expectations)
        return [*expected, *checks.verdicts_on_silver(subject)]


def check_audit(lake: Lake, tables: QueryTables, day: date, versions: AuditVersions) -> list[Verdict]:
    """Check a run's rows at exactly these versions. O(events of the look-back x windows of an event).

    Raises NotRecounted for a kind of windows that has no file in recount/kinds/.
    """
    recount = open_recount(lake, tables, day, versions)
    with recount.connection as connection:
        return [
            *_expected(connection, "audit_table", versions.audit, audit_expectations(tables.query, day)),
            *_expected(connection, "late_table", versions.late_audit, late_expectations(tables.query, day)),
            *checks.verdicts_on_rows(recount),
        ]


def require_silver(lake: Lake, run: Run, tables: StreamTables, day: date) -> None:
    """Check an arrival day of silver, and write the verdicts into the ledger; GateFailed where a check failed."""
    found = check_silver(lake, tables, day)
    verdicts.write(lake, run, found)
    require(found)


def require_audit(lake: Lake, run: Run, tables: QueryTables, day: date, versions: AuditVersions) -> None:
    """Check a run's rows, and write the verdicts into the ledger; GateFailed where a check failed."""
    found = check_audit(lake, tables, day, versions)
    verdicts.write(lake, run, found)
    require(found)


def require(found: list[Verdict]) -> None:
    """Raise GateFailed for the first check that failed: its figure, limit and the SQL that shows the rows."""
    for verdict in found:
        if not verdict.passed:
            raise GateFailed(verdict.check_name, verdict.figure, verdict.allowed, verdict.offending or "")


def _expected(
    connection: duckdb.DuckDBPyConnection, view: str, version: int, expectations: tuple[Expectation, ...]
) -> list[Verdict]:
    # Imported here: the library takes four seconds, and a day that was checked before doesn't need it.
    from pipelines.gate import expectations as library

    return library.verdicts_on(connection, view, version, expectations)


def _known_verdicts(lake: Lake, expectations: tuple[Expectation, ...], version: int, day: date) -> list[Verdict]:
    """Verdicts on these of this version and day: each query's run asks. None if one is new."""
    rows = verdicts.verdicts_on(lake, expectations[0].table, day).to_pylist()
    known = {(row["check_name"], row["allowed"]): _as_verdict(row) for row in rows if row["table_version"] == version}
    asked = [(each.name, each.limit) for each in expectations]
    return [known[each] for each in asked] if known.keys() >= set(asked) else []


def _as_verdict(row: dict) -> Verdict:
    return Verdict(**{name: row[name] for name in Verdict.__dataclass_fields__})
