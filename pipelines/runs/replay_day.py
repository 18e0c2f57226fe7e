"""A run: one query, one logical date, in reading order.

    audit     the day is one of the stream's, ingest is up to date, its silver is checked, the kernels make rows
    publish   the gate checks exactly these rows, and publishes them, unless newer ones passed it

`stage="all"` does both in one process; a DAG gives each its own task.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import date
from typing import NamedTuple

from pipelines import flow
from pipelines.config import Config
from pipelines.gate import gate
from pipelines.gate.publish import publish
from pipelines.gate.recount.kinds import refuse_unrecounted
from pipelines.ingest.changes import require_ingested
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger import runs
from pipelines.ledger.entry import Run
from pipelines.replay.audit import audit
from pipelines.replay.specifications import ServedQuery
from schemas import registry
from schemas.errors import NotSetUp, WrongParameter

STAGES = ("all", "audit", "publish")
Progress = Callable[[str], None]


def _silent(stage: str) -> None:
    """Progress that nobody listens to."""


@dataclass(frozen=True)
class DayReport:
    """What became of a run. `rows` by table; `note`: of a day of a backfill, why nothing was published."""

    run_id: str
    query: str
    day: date
    rows: dict[str, int]
    note: str | None = None


class _Replay(NamedTuple):
    """A day of a query, and the run that makes it."""

    lake: Lake
    tables: QueryTables
    day: date
    run: Run


def replay_day(
    config: Config,
    query_name: str,
    day: date,
    stage: str = "all",
    run_id: str | None = None,
    progress: Progress = _silent,
) -> DayReport:
    """Run a query for a day, or one of the two steps of that. `progress` gets each stage of flow.py as it begins.

    Raises UnknownName, WrongParameter, OutsideStream, NotServed, NotRecounted, IngestBehind and GateFailed (nothing was
    published), Superseded (nothing was, another run publishes), NotSetUp (publish without an audit of the day by that
    run), StorageFailed. Repeating a run leaves the tables' rows as they were.
    """
    if stage not in STAGES:
        raise WrongParameter("stage", stage, ", ".join(STAGES))
    lake, tables = Lake(config), QueryTables.of(registry.query(query_name))
    audited = _newest_audited(lake, query_name, day) if stage == "publish" and not run_id else None
    run_id = run_id or audited or runs.new_run_id(query_name, day)
    replay = _Replay(lake, tables, day, Run(run_id, tables.source.stream.name, query_name, day))
    if stage == "publish":
        return _publish(replay, progress)
    report = _audit(replay, progress)
    return report if stage == "audit" else _publish(replay, progress)


def _audit(replay: _Replay, progress: Progress) -> DayReport:
    lake, tables, day, run = replay
    with runs.step(lake, run, "audit") as entry:
        progress = entry.following(progress)
        tables.source.stream.require_day(day)
        served = ServedQuery.of(tables.query)
        refuse_unrecounted(tables.query.window)
        progress(flow.CHECK_SILVER.name)
        with lake.ingest_locked(tables.source.stream.name):
            require_ingested(lake, tables.source)
            gate.require_silver(lake, run, tables.source, day)
        progress(flow.REPLAY.name)
        audited = audit(lake, tables, served, day)
        entry.inputs, entry.counts, entry.kernel = audited.inputs, audited.counts, audited.kernel
        entry.outputs = asdict(audited.versions)
    rows = {tables.audit.name: audited.counts["rows"], tables.late_audit.name: audited.counts["late_rows"]}
    return DayReport(run.run_id, tables.query.name, day, rows)


def _publish(replay: _Replay, progress: Progress) -> DayReport:
    lake, tables, day, run = replay
    audited = runs.latest(lake, tables.query.name, day, "audit", run.run_id)
    if audited is None:
        raise _never_audited(replay)
    versions = AuditVersions(**audited.outputs)
    with runs.step(lake, run, "publish") as entry:
        progress, entry.inputs = entry.following(progress), audited.outputs
        progress(flow.GATE.name)
        gate.require_audit(lake, run, tables, day, versions)
        progress(flow.PUBLISH.name)
        publication = publish(lake, tables, day, versions)
        entry.outputs, entry.counts = publication.versions, publication.rows
    return DayReport(run.run_id, tables.query.name, day, publication.rows)


def _newest_audited(lake: Lake, query: str, day: date) -> str | None:
    """The run that audited the day last."""
    audited = runs.latest(lake, query, day, "audit")
    return None if audited is None else audited.run_id


def _never_audited(replay: _Replay) -> NotSetUp:
    query, day = replay.tables.query.name, replay.day
    return NotSetUp(
        f"there are no audit rows of {query} for {day} by run {replay.run.run_id!r}",
        f"windrow replay {query} --day {day} --stage audit",
    )
