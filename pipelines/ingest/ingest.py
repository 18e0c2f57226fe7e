"""Ingest: brings every table of a stream up to the files of the landing folder. It follows the files, not a date.

    landing/ ─▶ files_ (intents) ─▶ bronze_ ─▶ files_ (intents of other files) ─▶ partitions_ (days taken out)
         ─▶ silver_ ─▶ quarantine_ ─▶ pass_ ─▶ partitions_ ─▶ files_ (what became of each file)

Each arrow is a commit that replaces whole files or whole arrival days; some engines take several for silver. Files go
that way in batches of bounded size, each of which is whole in the end: killed half-way, the next ingest takes the rest.
A kill between any two commits is safe: whatever an ingest is about to change is marked first (a file by a row without a
definition, a day by a missing row), and the next ingest makes everything that is marked again. One ingest runs at a
time per stream.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from pipelines import flow
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Engine
from pipelines.ingest import definition, outcome, partitions
from pipelines.ingest.bronze import choosers, write_bronze
from pipelines.ingest.changes import Asked, Changes, find
from pipelines.ingest.deduplicate import Deduplicated, deduplicated
from pipelines.ingest.file_content import changed_since
from pipelines.ingest.files import INTENT, LINES_LOST, UNREADABLE, write_files
from pipelines.ingest.lost_rows import mark_lost
from pipelines.ingest.outcome import Applied, IngestReport
from pipelines.ingest.parse import ParseRules
from pipelines.ingest.silver import write_quarantine, write_silver
from pipelines.tables.snapshot import Snapshot
from pipelines.tables.stream_tables import StreamTables
from schemas.errors import LandingFailed

Progress = Callable[[str], None]


@dataclass(frozen=True)
class _Ingest:
    """What every part of one ingest knows."""

    lake: Lake
    engine: Engine
    tables: StreamTables
    progress: Progress


def ingest(
    lake: Lake,
    engine: Engine,
    tables: StreamTables,
    progress: Progress | None = None,
    asked: Asked = Asked(),  # noqa: B008
) -> IngestReport:
    """Bring the stream's tables up to its landed files.

    `progress` gets the name of each stage of flow.py as it begins, and in between details that begin with that name.
    Raises LandingFailed (the folder can't be read), StorageFailed (no space), TableMismatch, NotSetUp.
    """
    this, began = _Ingest(lake, engine, tables, progress or (lambda text: None)), time.monotonic()
    with lake.ingest_locked(tables.stream.name):
        for table in tables.all:
            lake.ensure(table)
        before = Snapshot.taken(lake, tables)
        this.progress(flow.LAND.name)
        lost = mark_lost(lake, tables)
        applied, messages = _until_still(this, asked)
        snapshots = before, Snapshot.taken(lake, tables)
    return outcome.report(tables.stream, applied, [*lost, *messages], snapshots, time.monotonic() - began)


def _until_still(this: _Ingest, asked: Asked) -> tuple[list[Applied], list[str]]:
    """Apply the changes, batch by batch; files that change while they are read are left out, for the next ingest."""
    applied: list[Applied] = []
    while True:
        changes = find(this.lake, this.engine, this.tables, datetime.now(UTC).date(), asked)
        write_files(this.lake, this.tables.files, changes.remembered)
        changed = _apply_all(this, changes, applied)
        if not changed:
            moved = [
                f"{path}: left out, it changed while it was read; the next ingest takes it" for path in asked.leave_out
            ]
            return applied, [*changes.messages, *moved]
        asked = replace(asked, leave_out=asked.leave_out | changed)
        this.progress(flow.LAND.name)


def _apply_all(this: _Ingest, changes: Changes, applied: list[Applied]) -> set[str]:
    """Apply each batch, and note it; returns the files by whose changing it ended early."""
    # Side inputs before anything is touched: one may be damaged.
    config, stream = this.lake.config, this.tables.stream
    root = config.landing
    side_inputs = definition.side_inputs(root, stream, changes.definition) if changes.touch_tables else {}
    _forget_days_of_lost_lines(this, changes)
    for batch in changes.batches(config.ingest_batch_bytes):
        try:
            applied.append(_apply(this, batch, side_inputs))
        except LandingFailed:
            changed = changed_since(root, {path: batch.rows[path].content_hash for path in batch.landed})
            if not changed:
                raise
            return changed
        # The next batch's records compete with what this one left.
        changes.known.update({row.path: row for row in applied[-1].rows})
    return set()


def _forget_days_of_lost_lines(this: _Ingest, changes: Changes) -> None:
    """Where lines are lost, events stay as an earlier definition made them; pass ticks follow the one of now, which may
    say otherwise when silence moves the watermark."""
    lost = [row for row in changes.known.values() if row.state == LINES_LOST]
    if not all(changes.definition.covers(row.definition) for row in lost):
        lake, tables = this.lake, this.tables
        partitions.forget(lake, tables.partitions, lake.partition_dates(tables.silver.name))


def _apply(this: _Ingest, changes: Changes, side_inputs: Mapping[str, object]) -> Applied:
    """Write every table, the files' final rows last."""
    found = _make_events(this, changes, side_inputs) if changes.touch_tables else None
    this.progress(flow.TICKS.name)
    days = partitions.make(this.lake, this.engine, this.tables)
    rows = outcome.final_rows(changes, found)
    write_files(this.lake, this.tables.files, rows)
    return Applied(changes, found, days, rows)


def _make_events(this: _Ingest, changes: Changes, side_inputs: Mapping[str, object]) -> Deduplicated:
    lake, engine, tables = this.lake, this.engine, this.tables
    write_files(lake, tables.files, changes.intents.values())
    this.progress(flow.BRONZE.name)
    if changes.landed:
        this.progress(f"bronze: {len(changes.landed)} file(s)")
    write_bronze(lake, engine, tables, changes)
    this.progress(flow.SILVER.name)
    this.progress("silver: parsing lines, finding duplicates")
    rules = _rules(lake, tables, changes, side_inputs)
    with deduplicated(lake, engine, tables, rules, changes) as found:
        _write_events(this, changes, found)
    return found


def _write_events(this: _Ingest, changes: Changes, found: Deduplicated) -> None:
    lake, tables = this.lake, this.tables
    others = [replace(changes.known[path], definition=INTENT) for path in found.others_touched]
    write_files(lake, tables.files, others)
    _add_headers(lake, tables, found.rules, found.others_touched)
    partitions.forget(lake, tables.partitions, found.days)
    if found.days:
        this.progress(f"silver: {len(found.days)} arrival day(s)")
        write_silver(lake, this.engine, tables, found)
    if _quarantine_changes(changes, found):
        this.progress("silver: quarantine")
        write_quarantine(lake, tables, changes, found)


def _quarantine_changes(changes: Changes, found: Deduplicated) -> bool:
    known = [changes.known[path] for path in changes.rows if path in changes.known]
    had_rows = any(row.definition == INTENT or row.quarantined or row.duplicates for row in known)
    gets_rows = bool(found.moves) or any(reason is not None for _, reason in found.records)
    return had_rows or gets_rows or any(row.state == UNREADABLE for row in changes.rows.values())


def _rules(lake: Lake, tables: StreamTables, changes: Changes, side_inputs: Mapping[str, object]) -> ParseRules:
    """What the files' lines are parsed by. Layouts are chosen anew, from bronze, for files that are made again after a
    new definition."""
    again = [path for path in changes.delivering if path not in changes.landed]
    for path, chooser in choosers(lake, tables, again).items():
        layout = chooser.layout
        name, why = (layout.name, None) if layout else (None, chooser.why)
        changes.rows[path] = replace(changes.rows[path], layout=name, detail=why)
    rows = {**changes.known, **changes.rows}
    layouts = {path: row.layout for path, row in rows.items()}
    unknown = {path: changes.rows[path].detail for path in changes.delivering if layouts[path] is None}
    rules = ParseRules(tables.stream, changes.definition.hash, layouts, side_inputs, {}, unknown)
    _add_headers(lake, tables, rules, changes.delivering)
    return rules


def _add_headers(lake: Lake, tables: StreamTables, rules: ParseRules, paths: Iterable[str]) -> None:
    """The first lines, from bronze, of those files whose columns go by name."""
    by_name = [path for path in paths if rules.by_name(path)]
    rules.headers.update({path: chooser.first for path, chooser in choosers(lake, tables, by_name).items()})
