"""Rows that wait for the gate, of days of a query that were committed together: made just now, or by an audit step."""

import shlex
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from pipelines.delta.lake import Lake
from pipelines.gate.recount.query_days import AuditedDays
from pipelines.ledger import run_table
from pipelines.replay.audit import Audited
from pipelines.tables.arrival_days import FIRST_DAY
from pipelines.tables.audit_versions import AuditVersions
from pipelines.tables.query_tables import QueryTables
from schemas.errors import NotSetUp


class AuditRows(NamedTuple):
    """Which versions hold each day, and what it has read."""

    tables: QueryTables
    days: Mapping[date, Audited]

    @property
    def of_gate(self) -> AuditedDays:
        """As the gate looks at them."""
        days = tuple(self.days)
        return AuditedDays(self.tables, days, self.days[days[0]].versions)


def recorded(lake: Lake, tables: QueryTables, day: date, run_id: str) -> AuditRows:
    """What the run's own audit step left in the ledger; NotSetUp where that is nothing, or is gone."""
    audited = run_table.latest(lake, tables.query.name, day, "audit", run_id)
    if audited is None:
        raise _never_audited(tables, day, run_id, "there are no audit rows")
    versions = AuditVersions(**audited.outputs)
    if gone := _gone(lake, tables, versions, audited):
        lost = f"{gone} is gone (older than what windrow maintain keeps, or lost): no audit rows"
        raise _never_audited(tables, day, run_id, lost)
    return AuditRows(tables, {day: Audited(versions, audited.inputs, audited.counts, audited.kernel, None, [])})


def _gone(lake: Lake, tables: QueryTables, versions: AuditVersions, audited: run_table.StepRow) -> str | None:
    """What of the versions that the gate and the publication read can't be read any more."""
    day = str(audited.logical_date)
    until = [("arrival_date", "<=", day)]
    asked = (
        (tables.audit.name, versions.audit, [("emitted_date", "=", day)]),
        (tables.late_audit.name, versions.late_audit, [("arrival_date", "=", day)]),
        (tables.source.silver.name, versions.silver, [("arrival_date", ">=", audited.inputs[FIRST_DAY]), *until]),
        (tables.source.passes.name, versions.passes, until),
    )
    for name, version, days in asked:
        # A table that was made again counts its versions anew.
        if lake.lacks_files(name, version, days) or lake.made_after(name, audited.at):
            return f"version {version} of {name}"
    return None


def _never_audited(tables: QueryTables, day: date, run_id: str, problem: str) -> NotSetUp:
    query = tables.query.name
    return NotSetUp(
        f"{problem} of {query} for {day} by run {run_id!r}",
        f"windrow replay {query} --day {day} --stage audit --run-id {shlex.quote(run_id)}",
    )
