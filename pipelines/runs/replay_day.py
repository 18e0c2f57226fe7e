"""A run: one query, one logical date, in reading order.

    audit     the day is one of the stream's, the silver that an ingest left is checked, the kernels make rows
    publish   the gate checks exactly these rows, and publishes them, unless rows of a newer snapshot passed it

`stage="all"` does both in one process; a DAG gives each its own task.
"""

import shlex
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from datetime import date
from typing import NamedTuple

from pipelines import flow
from pipelines.config import Config
from pipelines.engines import engine_of
from pipelines.gate.gate import Gate
from pipelines.gate.publish import publish
from pipelines.gate.recount.query_days import AuditedDays
from pipelines.lake.arrival_days import FIRST_DAY
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.engine import Engine
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger import farm_runs, runs, snapshots, verdicts
from pipelines.ledger.code_hash import definition_hash
from pipelines.ledger.entry import Run
from pipelines.ledger.stale import DIGESTS, other_inputs
from pipelines.replay import look_back
from pipelines.replay.audit import audit
from pipelines.replay.look_back import Reading
from pipelines.runs import definitions
from pipelines.runs.arrived import nothing_arrived, with_arrivals
from pipelines.runs.checked import require
from schemas.errors import NotSetUp, WrongParameter

STAGES = ("all", "audit", "publish")
Progress = Callable[[str], None]


def _silent(stage: str) -> None:
    """Progress that nobody listens to."""


@dataclass(frozen=True)
class DayReport:
    """What became of a run. `rows` by table; `revisions`: those of the results that replace an earlier one of their
    window; `checks`: how many of the gate they passed; `superseded`: of a day of a backfill, whether another run
    publishes it; `note`: which that is, or why what was published is stale already. `versions` of the lake that it
    published, by table; `had_rows`: whether the day had any before."""

    run_id: str
    query: str
    day: date
    rows: dict[str, int]
    note: str | None = None
    superseded: bool = False
    versions: dict[str, int] = field(default_factory=dict)
    revisions: int = 0
    checks: int = 0
    had_rows: bool = False

    @property
    def asset_events(self) -> dict[str, dict]:
        """What is new of each published table, in plain values; nothing, where the day has no rows and had none. The
        gate's verdict on what is published is one."""
        if not (self.had_rows or any(self.rows.values())):
            return {}
        verdict = {"checks": self.checks, "verdict": verdicts.PASSED}
        found = {
            table: {"day": str(self.day), "rows": self.rows[table], **verdict, "version": version}
            for table, version in self.versions.items()
        }
        if self.query in found:
            found[self.query]["revisions"] = self.revisions
        return found


class _Replay(NamedTuple):
    """A day of a query, the run that makes it, and what waits for the ledger."""

    lake: Lake
    engine: Engine
    tables: QueryTables
    day: date
    run: Run
    recording: runs.Recording
    progress: Progress


class _Audited(NamedTuple):
    """What the audit step of a run read and wrote."""

    versions: AuditVersions
    inputs: dict
    rows: dict[str, int]


def replay_day(
    config: Config,
    query_name: str,
    day: date,
    stage: str = "all",
    run_id: str | None = None,
    progress: Progress = _silent,
) -> DayReport:
    """Run a query for a day, or one of the two steps of that. `progress` gets each stage of flow.py as it begins.

    It reads what the run's own ingest left, or else the stream's newest: what landed since makes it stale, not wrong.
    Raises UnknownName, WrongParameter, OutsideStream, NotServed, NotRecounted, IngestBehind and GateFailed (nothing was
    published), Superseded (nothing was, another run publishes), NothingArrived (before the
    first arrival, or after the newest), NotSetUp (no ingest yet, or publish without an audit
    of the day by that run), StorageFailed. Repeating a run leaves the tables' rows as they were.
    """
    if stage not in STAGES:
        raise WrongParameter("stage", stage, ", ".join(STAGES))
    lake, tables = Lake(config), definitions.tables_of(query_name)
    audited = _newest_audited(lake, query_name, day) if stage == "publish" and not run_id else None
    run_id = run_id or audited or runs.new_run_id(query_name, day)
    run = Run(run_id, tables.source.stream.name, query_name, day)
    lake = lake.committing(run_id=run_id, definition=definition_hash(run.stream, query_name))
    with runs.recording(lake) as recording:
        replay = _Replay(lake, engine_of(config), tables, day, run, recording, progress)
        made = _recorded_audit(replay) if stage == "publish" else _audit(replay)
        if stage == "audit":
            return DayReport(run_id, query_name, day, made.rows)
        return _publish(replay, made)


def _audit(replay: _Replay) -> _Audited:
    lake, engine, tables, day, run, recording, progress = replay
    with recording.step(run, "audit") as entry, entry.working(engine, progress):
        progress = entry.following(progress)
        tables.source.stream.require_day(day)
        served = definitions.served(tables)
        progress(flow.CHECK_SILVER.name)
        read = Reading.of(lake, tables.source, snapshots.of_run(lake, run.stream, run.run_id))
        if not with_arrivals(lake, tables, read.days, [day]):
            raise nothing_arrived(tables, read.days, [day])
        back = look_back.of(lake, tables, served, day, read)
        dates = back.arrival_days(read.days.by_date)
        require(
            lake.config,
            Gate(lake, engine).record_silver(run, tables.source, read.snapshot, read.days, dates),
            entry,
            progress,
        )
        progress(flow.REPLAY.name)
        audited = audit(lake.committing(snapshot=read.snapshot.name), engine, tables, served, back, read)
        entry.inputs, entry.counts, entry.kernel = audited.inputs, audited.counts, audited.kernel
        entry.outputs, entry.message = asdict(audited.versions), audited.why
        if audited.why:
            progress(f"{entry.stage}: {audited.why}")
        if audited.farms:
            farm_runs.record(lake, run, audited.farms)
    rows = {tables.audit.name: audited.counts["rows"], tables.late_audit.name: audited.counts["late_rows"]}
    return _Audited(audited.versions, audited.inputs, rows)


def _recorded_audit(replay: _Replay) -> _Audited:
    """What the run's own audit step left in the ledger."""
    audited = runs.latest(replay.lake, replay.tables.query.name, replay.day, "audit", replay.run.run_id)
    if audited is None:
        raise _never_audited(replay, "there are no audit rows")
    versions = AuditVersions(**audited.outputs)
    if gone := _gone(replay, versions, audited):
        raise _never_audited(replay, f"{gone} is gone (older than what windrow maintain keeps, or lost): no audit rows")
    return _Audited(versions, audited.inputs, {})


def _gone(replay: _Replay, versions: AuditVersions, audited: runs.StepRow) -> str | None:
    """What of the versions that the gate and the publication read can't be read any more."""
    tables, day = replay.tables, str(replay.day)
    until = [("arrival_date", "<=", day)]
    asked = (
        (tables.audit.name, versions.audit, [("emitted_date", "=", day)]),
        (tables.late_audit.name, versions.late_audit, [("arrival_date", "=", day)]),
        (tables.source.silver.name, versions.silver, [("arrival_date", ">=", audited.inputs[FIRST_DAY]), *until]),
        (tables.source.passes.name, versions.passes, until),
    )
    for name, version, days in asked:
        # A table that was made again counts its versions anew.
        if replay.lake.lacks_files(name, version, days) or replay.lake.made_after(name, audited.at):
            return f"version {version} of {name}"
    return None


def _publish(replay: _Replay, made: _Audited) -> DayReport:
    lake, engine, tables, day, run, recording, progress = replay
    versions = made.versions
    lake = lake.committing(snapshot=versions.snapshot)
    with recording.step(run, "publish") as entry, entry.working(engine, progress):
        progress, entry.inputs = entry.following(progress), asdict(versions)
        progress(flow.GATE.name)
        found = Gate(lake, engine).record_audit(run, AuditedDays(tables, (day,), versions))[day]
        require(lake.config, found, entry, progress)
        progress(flow.PUBLISH.name)
        entry.message = _stale_already(replay, made.inputs)
        publication = publish(lake, engine, tables, day, versions)
        entry.outputs = {**publication.versions, DIGESTS: publication.digests}
        entry.counts = publication.rows
    return DayReport(
        run.run_id,
        tables.query.name,
        day,
        publication.rows,
        entry.message,
        versions=publication.versions,
        revisions=publication.revisions,
        checks=len(found),
        had_rows=publication.had_rows,
    )


def _stale_already(replay: _Replay, inputs: dict) -> str | None:
    """Why the run is stale as soon as it is published: files were ingested since it read silver."""
    reasons = other_inputs(replay.lake, replay.tables.source.partitions.name, inputs)
    return f"stale already, a new run would read other events: {'; '.join(reasons)}" if reasons else None


def _newest_audited(lake: Lake, query: str, day: date) -> str | None:
    """The run that audited the day last."""
    audited = runs.latest(lake, query, day, "audit")
    return None if audited is None else audited.run_id


def _never_audited(replay: _Replay, problem: str) -> NotSetUp:
    query, day = replay.tables.query.name, replay.day
    return NotSetUp(
        f"{problem} of {query} for {day} by run {replay.run.run_id!r}",
        f"windrow replay {query} --day {day} --stage audit --run-id {shlex.quote(replay.run.run_id)}",
    )
