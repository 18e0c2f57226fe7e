"""The work of one run, without the run."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.engine import Engine
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.replay import audit, work
from windrow.pipelines.replay.audit import Audited
from windrow.pipelines.replay.task import WrittenShare
from windrow.pipelines.replay.work import Reading, Work
from windrow.pipelines.runs.keep_panes import with_panes
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import Snapshot


def work_of(lake: Lake, tables: QueryTables, *days: date) -> Work:
    """What the tasks of a run of some days know."""
    return work.work_of(lake, tables, days, newest(lake, tables))


def replayed_of(lake: Lake, engine: Engine, tables: QueryTables, *days: date) -> Sequence[WrittenShare]:
    """What the tasks of a run of some days write, and no process has committed."""
    return audit.replayed(lake, engine, work_of(lake, tables, *days))


def audit_day(lake: Lake, tables: QueryTables, day: date) -> Audited:
    """A day's rows in the audit tables, made from the tables as they are now."""
    return audit_days(lake, tables, [day])[day]


def audit_days(lake: Lake, tables: QueryTables, days: Sequence[date]) -> dict[date, Audited]:
    """The rows of some days, made in one pass."""
    read = newest(lake, tables)
    engine = engine_of(lake.config)
    asked = with_panes(lake, engine, work.work_of(lake, tables, days, read), read)
    return audit.audit(lake, engine, asked, read)


def run_day(lake: Lake, tables: QueryTables, day: date, run_id: str | None = None) -> Audited:
    """The same as steps of the ledger; the day is noted as published, without a look of the gate."""
    return run_days(lake, tables, [day], run_id)[day]


def run_days(lake: Lake, tables: QueryTables, days: Sequence[date], run_id: str | None = None) -> dict[date, Audited]:
    """In one pass."""
    query, stream = tables.query.name, tables.source.stream.name
    run_id = run_id or run_table.new_run_id(query, days[0])
    of_days = {Run(run_id, stream, query, day): day for day in days}
    with run_table.recording(lake) as recording:
        with recording.steps([*of_days], "audit") as entries:
            made = audit_days(lake.committing(run_id=run_id), tables, days)
            for run, entry in entries.items():
                of_day = made[of_days[run]]
                entry.inputs, entry.outputs, entry.counts = of_day.inputs, asdict(of_day.versions), of_day.counts
        with recording.steps([*of_days], "publish") as entries:
            for run, entry in entries.items():
                entry.inputs = asdict(made[of_days[run]].versions)
    return made


def newest(lake: Lake, tables: QueryTables) -> Reading:
    """A reading of the tables as they are now."""
    return Reading.of(lake, tables.source, Snapshot.taken(lake, tables.source))
