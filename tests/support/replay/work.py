"""The work of one run, without the run."""

from dataclasses import asdict
from datetime import date

from pipelines.engines import engine_of
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.lake.snapshot import Snapshot
from pipelines.ledger import runs
from pipelines.ledger.entry import Run
from pipelines.replay import audit, look_back, plan
from pipelines.replay.audit import Audited
from pipelines.replay.look_back import Reading
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.task import Work


def work_of(lake: Lake, tables: QueryTables, day: date) -> Work:
    """What the tasks of a run know."""
    served = ServedQuery.of(tables.query)
    return plan.work_of(lake, tables, served, look_back.of(lake, tables, served, day, newest(lake, tables)))


def audit_day(lake: Lake, tables: QueryTables, day: date) -> Audited:
    """A day's rows in the audit tables, made from the tables as they are now."""
    served, read = ServedQuery.of(tables.query), newest(lake, tables)
    engine = engine_of(lake.config)
    return audit.audit(lake, engine, tables, served, look_back.of(lake, tables, served, day, read), read)


def run_day(lake: Lake, tables: QueryTables, day: date, run_id: str | None = None) -> Audited:
    """The same as steps of the ledger; the day is noted as published, without a look of the gate."""
    query, stream = tables.query.name, tables.source.stream.name
    run = Run(run_id or runs.new_run_id(query, day), stream, query, day)
    with runs.recording(lake) as recording:
        with recording.step(run, "audit") as entry:
            made = audit_day(lake, tables, day)
            entry.inputs, entry.outputs, entry.counts = made.inputs, asdict(made.versions), made.counts
        with recording.step(run, "publish") as entry:
            entry.inputs = asdict(made.versions)
    return made


def newest(lake: Lake, tables: QueryTables) -> Reading:
    """A reading of the tables as they are now."""
    return Reading.of(lake, tables.source, Snapshot.taken(lake, tables.source))
