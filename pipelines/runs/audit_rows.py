"""Rows that wait for the gate, of days of a query that were committed together: made just now, or by an audit step."""

import shlex
from collections.abc import Mapping
from datetime import date
from typing import NamedTuple

from pipelines.delta.lake import Lake
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


def recorded(lake: Lake, tables: QueryTables, day: date, run_id: str) -> AuditRows:
    """What the run's own audit step left in the ledger; NotSetUp where that is nothing, or is gone."""
    query, problem = tables.query.name, "there are no audit rows"
    audited = run_table.latest(lake, query, day, "audit", run_id)
    if audited is not None:
        versions = AuditVersions(**audited.outputs)
        gone = _gone(lake, tables, versions, audited)
        if gone is None:
            left = Audited(versions, audited.inputs, audited.counts, audited.kernel, audited.message, [])
            return AuditRows(tables, {day: left})
        problem = f"{gone} is gone (older than what windrow maintain keeps, or lost): no audit rows"
    raise NotSetUp(
        f"{problem} of {query} for {day} by run {run_id!r}",
        f"windrow replay {query} --day {day} --stage audit --run-id {shlex.quote(run_id)}",
    )


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
