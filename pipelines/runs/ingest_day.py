"""An ingest as a run of its own: in the ledger, with the files that it took checked, and its silver where it is for a
day.

The first task of a stream's DAG: it refuses a day that the stream doesn't have before it looks at any file. What it
leaves is the snapshot that the other steps of the run read, whatever lands or is ingested meanwhile.
"""

from dataclasses import replace
from datetime import UTC, date, datetime

from pipelines import flow
from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.engines import engine_of
from pipelines.gate.gate import Gate, failure, note
from pipelines.ingest import outcome
from pipelines.ingest.changes import Asked
from pipelines.ingest.files import FORGOTTEN, REFUSED, known_files
from pipelines.ingest.ingest import Progress, ingest
from pipelines.ingest.outcome import IngestReport
from pipelines.ledger import run_table, snapshots
from pipelines.ledger.code_hash import definition_hash
from pipelines.ledger.entry import LedgerEntry, Run
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.stream_tables import StreamTables
from schemas import registry


def ingest_day(
    config: Config,
    stream_name: str,
    day: date | None,
    run_id: str | None,
    progress: Progress,
    verify_content: bool = False,
) -> IngestReport:
    """Ingest all files of the stream; with a day, also check that arrival day of silver. `verify_content`: read all
    files, also those of the size and modification time that are known. Raises UnknownName, OutsideStream, GateFailed,
    TableDamaged, and what `ingest` raises."""
    tables = StreamTables.of(registry.stream(stream_name))
    run = Run(run_id or run_table.new_run_id(stream_name, day), stream_name, None, day)
    lake = Lake(config).committing(run_id=run.run_id, definition=definition_hash(stream_name, None))
    with run_table.step(lake, run, "ingest") as entry:
        progress = entry.stages.following(progress)
        if day is not None:
            tables.stream.require_day(day)
        report = ingest_as_step(lake, tables, entry, progress, Asked(verify_content=verify_content))
        entry.counts |= report.refused
        progress(flow.CHECK_SILVER.name)
        check(lake, run, tables, report, entry, progress)
        known = known_files(lake, tables.files).values()
        found = outcome.broken(tables.stream, known, report, datetime.now(UTC).date())
        outcome.require(tables.stream, found)
        warnings = tuple(map(str, found))
        entry.message = "; ".join(warnings) or None
    return replace(report, warnings=warnings)


def ingest_as_step(
    lake: Lake, tables: StreamTables, entry: LedgerEntry, progress: Progress, asked: Asked
) -> IngestReport:
    """An ingest that knows what the ledger has of those before it, and notes what it took and left. The days that it
    touched are those since the newest that ended: the events of the others are not known to anybody."""
    stream = tables.stream.name
    snapshots.require_whole_logs(lake, stream)
    asked = replace(asked, left_out=snapshots.left_out(lake, stream))
    engine = engine_of(lake.config)
    with entry.stages.working(engine, progress):
        report = ingest(lake, engine, tables, progress, asked)
    entry.inputs |= {row.path: row.content_hash for row in report.files if row.state != FORGOTTEN}
    entry.outputs = snapshots.outputs(report.snapshot)
    if forgotten := {row.path: row.content_hash for row in report.files if row.state == FORGOTTEN}:
        entry.outputs[snapshots.LEFT_OUT] = forgotten
    refused_files = sum(row.state == REFUSED for row in report.files)
    entry.counts = {"files": len(report.files), "refused files": refused_files, "accepted": report.accepted}
    before = snapshots.days_since_newest(lake, stream, report.touched.since)
    return replace(report, touched_days=tuple(sorted({*report.touched_days, *before})))


def check(
    lake: Lake, run: Run, tables: StreamTables, report: IngestReport, entry: LedgerEntry, progress: Progress
) -> None:
    """Check the files that an ingest touched, and the run's day of silver, if it is for one and they are right.
    GateFailed where a check failed."""
    gate = Gate(lake, engine_of(lake.config))
    found = gate.record_files(run, tables, report.snapshot, report.touched)
    if run.day is not None and all(verdict.passed for verdict in found):
        days = ArrivalDays.read(lake, tables.partitions.name, report.snapshot.version(tables.partitions.name))
        of_days = gate.record_silver(run, tables, report.snapshot, days, [run.day])
        found += [verdict for of_day in of_days.values() for verdict in of_day]
    note(lake.config, [(entry, found)], progress)
    if failed := failure(found):
        raise failed
