"""An ingest as a run of its own: in the ledger, with the files that it took checked, and its silver where it is for a
day.

The first task of a stream's DAG: it refuses a day that the stream doesn't have before it looks at any file. What it
leaves is the snapshot that the other steps of the run read, whatever lands or is ingested meanwhile.

To take out what a file delivered is such a run too: a file that vanishes from the landing folder keeps it, since
landing folders are tidied up; so the user has to say when it is to go.

A stream's newest events have no row on time before later ones move the watermark: an ingest logs how many lie in
windows that aren't closed yet, so that no user looks for rows that can't be there. A window is open until the watermark
has reached its end. Those that depend on their key's other events, and rolling ones, are open at least until it has
passed their newest event: of these the events that it has not passed are counted.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import duckdb

from windrow.pipelines import flow, storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.day_files import files_of, parquet
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate.gate import Gate, failure, note
from windrow.pipelines.gate.recount.kinds._calendar import calendar_windows
from windrow.pipelines.ingest import landing, outcome
from windrow.pipelines.ingest.changes import Asked
from windrow.pipelines.ingest.files import FORGOTTEN, REFUSED, known_files
from windrow.pipelines.ingest.ingest import Progress, ingest
from windrow.pipelines.ingest.outcome import IngestReport
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger.code_hash import definition_hash
from windrow.pipelines.ledger.entry import LedgerEntry, Run
from windrow.pipelines.tables.arrival_days import DAY_US, ArrivalDays, day_start_us
from windrow.pipelines.tables.pass_steps import PassSteps
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.errors import UnknownName, WrongParameter
from windrow.schemas.query import Query
from windrow.schemas.windows import MICROSECOND, Regular, Window


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
        report = ingest_as_step(lake, run, tables, entry, Asked(verify_content=verify_content), progress)
        known = known_files(lake, tables.files).values()
        found = outcome.broken(tables.stream, known, report, datetime.now(UTC).date())
        outcome.require(tables.stream, found)
        warnings = tuple(map(str, found))
        entry.message = "; ".join(warnings) or None
    return replace(report, warnings=warnings)


def ingest_as_step(
    lake: Lake, run: Run, tables: StreamTables, entry: LedgerEntry, asked: Asked, progress: Progress
) -> IngestReport:
    """An ingest that knows what the ledger has of those before it, notes what it took and left, and is checked. The
    days that it touched are those since the newest that ended: no run knows the events of the others.
    GateFailed where a check failed."""
    stream = tables.stream.name
    for damaged in snapshots.shortened(lake, stream, [table.name for table in tables.all]):
        raise damaged
    asked = replace(asked, left_out=snapshots.left_out(lake, stream))
    engine = engine_of(lake.config)
    with entry.stages.working(engine, progress):
        report = ingest(lake, engine, tables, progress, asked)
    entry.inputs |= {row.path: row.content_hash for row in report.files if row.state != FORGOTTEN}
    entry.outputs = snapshots.outputs(report.snapshot)
    if forgotten := {row.path: row.content_hash for row in report.files if row.state == FORGOTTEN}:
        entry.outputs[snapshots.LEFT_OUT] = forgotten
    refused_files = sum(row.state == REFUSED for row in report.files)
    counts = {"files": len(report.files), "refused files": refused_files, "accepted": report.accepted}
    entry.counts = counts | report.refused
    before = snapshots.days_since_newest(lake, stream, report.touched.since)
    progress(flow.CHECK_SILVER.name)
    _check(lake, run, tables, report, entry, progress)
    return replace(report, touched_days=tuple(sorted({*report.touched_days, *before})))


def _check(
    lake: Lake, run: Run, tables: StreamTables, report: IngestReport, entry: LedgerEntry, progress: Progress
) -> None:
    """The files that an ingest touched, and the run's day of silver, if it is for one and they are right."""
    gate = Gate(lake, engine_of(lake.config))
    found = gate.record_files(run, tables, report.snapshot, report.touched)
    if run.day is not None and all(verdict.passed for verdict in found):
        days = ArrivalDays.read(lake, tables.partitions.name, report.snapshot.version(tables.partitions.name))
        of_days = gate.record_silver(run, tables, report.snapshot, days, [run.day])
        found += [verdict for of_day in of_days.values() for verdict in of_day]
    note(lake.config, [(entry, found)], progress)
    if failed := failure(found):
        raise failed


def open_windows(config: Config, stream_name: str) -> Iterator[str]:
    """A sentence for each query of a stream. Also where a file of silver can't be read: the ingest before has ended."""
    tables = StreamTables.of(registry.stream(stream_name))
    try:
        counts = events_in_open_windows(Lake(config), tables)
    except duckdb.Error as error:
        yield f"events in open windows could not be counted: {str(error).splitlines()[0]}"
        return
    for query, events in counts.items():
        yield f"{query}: " + (
            f"{events:,} events are in windows that aren't closed yet" if events else "no open window"
        )


def events_in_open_windows(lake: Lake, tables: StreamTables) -> dict[str, int]:
    """By query, of all events of the stream that silver has; conditions of the query (`where`) are not looked at. Zero
    of each where the stream's last day has come: its run closes every window. TableDamaged where silver is. O(events of
    the arrival days from the oldest open window on)."""
    stream, queries = tables.stream, registry.queries_of(tables.stream.name)
    names = [query.name for query in queries]
    arrivals = ArrivalDays.read(lake, tables.partitions.name)
    days = arrivals.by_date
    if not days or not queries or stream.newest_day <= max(days):
        return dict.fromkeys(names, 0)
    passes = PassSteps(lake, tables, lake.existing_version(tables.passes.name), arrivals)
    newest_us = passes.newest_before_us(max(days) + timedelta(days=1))
    assert newest_us is not None, "there are arrival days"
    conditions = [_is_open(query, newest_us) for query in queries]
    oldest_us = min(start_us for start_us, _ in conditions) - stream.ahead_at_most_us
    files = files_of(lake, tables.silver, [day for day in days if day_start_us(day) + DAY_US > oldest_us])
    if not files:
        return dict.fromkeys(names, 0)
    asked = ", ".join(f"count(*) FILTER ({condition})" for _, condition in conditions)
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        (counts,) = database.sql(f"SELECT {asked} FROM {parquet(tables.silver, files)}").fetchall()
    return dict(zip(names, counts, strict=True))


def _is_open(query: Query, newest_us: int) -> tuple[int, str]:
    """The time before which no event of an open window starts, in µs since the epoch, and which events are in one."""
    watermark_us = newest_us - query.lateness // MICROSECOND
    each = [_is_open_in(window, watermark_us) for window in query.every_window]
    return min(start_us for start_us, _ in each), " OR ".join(condition for _, condition in each)


def _is_open_in(window: Window, watermark_us: int) -> tuple[int, str]:
    open_us, longest_us = first_open_us(window, watermark_us), window.longest_event_us
    if longest_us is not None:
        last_us = 'greatest(epoch_us("start"), epoch_us("end") - 1)'
        return open_us - longest_us, f"{last_us} >= {open_us}"
    return open_us, f'epoch_us("start") >= {open_us}'


def first_open_us(window: Window, watermark_us: int) -> int:
    """The start of the oldest window whose end a watermark has not reached; of windows that depend on events, rolling
    ones among them, the time behind the watermark. All in µs since the epoch."""
    if not isinstance(window, Regular):
        return watermark_us + 1
    if window.zone is None:
        number = (watermark_us - window.origin_us - window.size_us) // window.slide_us + 1
        return window.origin_us + number * window.slide_us
    around = calendar_windows(window, watermark_us - window.longest_us, watermark_us + window.longest_us)
    return min(start_us for start_us, end_us in around if end_us > watermark_us)


def forget(config: Config, path: str, leave_file: bool, run_id: str | None, progress: Progress) -> IngestReport:
    """Take out what the path delivered: the days that this touches are made again, and a file that was refused as its
    duplicate is taken. `leave_file`: the file may stay in the landing folder; it is left out until its content changes.
    Raises UnknownName, WrongParameter (the file lies in the landing folder), and what `ingest` raises."""
    tables = _tables_of(Lake(config), path)
    run = Run(run_id or run_table.new_run_id(tables.stream.name, None), tables.stream.name)
    lake = Lake(config).committing(run_id=run.run_id, definition=definition_hash(run.stream, None))
    with run_table.step(lake, run, "forget") as entry:
        if not leave_file and path in landing.listing(config.landing, tables.stream).paths:
            raise WrongParameter(
                "path", path, "a file that left the landing folder: move it out first, or add --leave-file"
            )
        progress = entry.stages.following(progress)
        entry.inputs = {"forgotten": path}
        return ingest_as_step(lake, run, tables, entry, Asked(forget=frozenset([path])), progress)


def _tables_of(lake: Lake, path: str) -> StreamTables:
    """Those of the stream that knows the path, or did so before a forget that took it out and then failed: repeated, it
    ends well. No two streams have files in one folder."""
    known = []
    for stream in registry.streams().values():
        tables = StreamTables.of(stream)
        rows = known_files(lake, tables.files)
        left = [row.path for row in rows.values() if row.state != FORGOTTEN]
        if path in left:
            return tables
        known += left
    forgets = run_table.rows(lake, [("step", "=", "forget")])
    of_path = [step for step in forgets if step.inputs.get("forgotten") == path]
    if of_path and of_path[-1].state != "done":
        return StreamTables.of(registry.stream(of_path[-1].stream))
    folder, _, name = path.rpartition("/")
    of_folder = [each for each in known if each.startswith(f"{folder}/")]
    named = [each for each in known if each.rpartition("/")[2] == name]
    raise UnknownName("landing file that an ingest has taken", path, named or of_folder or known, most=5)
