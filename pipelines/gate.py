"""The gate: what must hold of a day's silver before a run, and of its audit rows before they are published.

Expectations (`schemas/expectations.py`, judged by Great Expectations) say what each row must look like; the laws of
semantics §5 (`pipelines/checks/`) count the rows again from silver. Judging raises nothing; `require` does.
"""

from datetime import date

import duckdb

from pipelines import ledger
from pipelines.audit_versions import AuditVersions
from pipelines.checks import checks
from pipelines.checks.recount import open_recount, sql
from pipelines.checks.recount.silver import open_silver
from pipelines.checks.verdict import Verdict
from pipelines.config import Config
from schemas import registry
from schemas.errors import GateFailed
from schemas.expectations import Expectation, audit_expectations, late_expectations, silver_expectations
from schemas.query import Query
from schemas.stream import Stream


def judge_silver(config: Config, stream: Stream, day: date) -> list[Verdict]:
    """Judge an arrival day of silver at its newest version. O(events of the day + files of the stream)."""
    subject = open_silver(config, stream, day)
    with subject.connection:
        noted = subject.one(f"SELECT coalesce(sum(events), 0) FROM partitions WHERE {subject.of_day}")[0]
        expectations = silver_expectations(stream, day, int(noted))
        version = subject.versions["silver"]
        expected = _said_before(config, expectations, version, day) or _expected(
            subject.connection, "silver", version, expectations)
        return [*expected, *_laws("silver", subject)]


def judge_audit(config: Config, query: Query, day: date, versions: AuditVersions) -> list[Verdict]:
    """Judge a run's rows at exactly these versions. O(events of the look-back x windows of an event)."""
    recount = open_recount(config, query, registry.stream(query.stream), day, versions)
    with recount.connection as connection:
        return [*_expected(connection, "audit_table", versions.audit, audit_expectations(query, day)),
                *_expected(connection, "late_table", versions.late_audit, late_expectations(query, day)),
                *_laws("audit", recount)]


def require(verdicts: list[Verdict]) -> None:
    """Raise GateFailed for the first check that failed: its figure, limit and the SQL that shows the rows."""
    for verdict in verdicts:
        if not verdict.passed:
            raise GateFailed(verdict.check_name, verdict.figure, verdict.allowed, verdict.offending)


def _laws(judges: str, subject: object) -> list[Verdict]:
    return [check.run(subject) for check in checks(judges)]


def _expected(connection: duckdb.DuckDBPyConnection, view: str, version: int,
              expectations: tuple[Expectation, ...]) -> list[Verdict]:
    # Imported here: the library takes four seconds, and a day that was judged before doesn't need it.
    from pipelines.expecting import verdicts_on
    columns = dict.fromkeys(column for each in expectations for column in each.columns)
    rows = connection.sql(f"SELECT {', '.join(map(sql.name, columns))} FROM {view}").to_arrow_table()
    return verdicts_on(rows, version, expectations)


def _said_before(config: Config, expectations: tuple[Expectation, ...], version: int,
                 day: date) -> list[Verdict]:
    """What was said of these on this version and day: each query's run asks. Nothing if one is new."""
    rows = ledger.verdicts_on(config, expectations[0].table, day).to_pylist()
    said = {(row["check_name"], row["allowed"]): _as_verdict(row) for row in rows if row["table_version"] == version}
    asked = [(each.name, each.limit) for each in expectations]
    return [said[each] for each in asked] if said.keys() >= set(asked) else []


def _as_verdict(row: dict) -> Verdict:
    return Verdict(**{name: row[name] for name in Verdict.__dataclass_fields__})
