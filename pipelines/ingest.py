"""Ingest: brings every table of a stream up to the files of the landing folder. It follows the files, not a date.

    land ─▶ files_ (intents) ─▶ bronze_ ─▶ files_ (intents of other files) ─▶ partitions_ (days taken out)
         ─▶ silver_ ─▶ quarantine_ ─▶ pass_ ─▶ partitions_ ─▶ files_ (what became of each file)

Each arrow is a commit that replaces whole files or whole arrival days; of many rows in silver, several. A kill between
any two is safe: whatever an ingest is about to change is marked first (a file by a row without a definition, a day by
a missing row), and the next ingest makes everything that is marked again, the files from the landing folder. One ingest
runs at a time per stream.
"""

import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from pipelines import bronze, definition, flow, ingest_lock, lake, land, merge, partitions, silver
from pipelines.changes import (
    ACCEPTED,
    DUPLICATE,
    INTENT,
    UNREADABLE,
    Changes,
    FileRow,
    as_table,
    find,
)
from pipelines.changes import pending as pending_files
from pipelines.config import Config
from pipelines.merge import DUPLICATE as WAS_DUPLICATE
from pipelines.merge import EVENT, NEW, Merged
from pipelines.parse import Judging
from schemas import registry
from schemas.errors import LandingFailed
from schemas.reading import choose_layout, has_header
from schemas.stream import Stream
from schemas.tables import files_table, ingest_tables

Progress = Callable[[str], None]


@dataclass(frozen=True)
class IngestReport:
    """What one ingest did. `files`: the rows of `files_<stream>` that it wrote; `refused`: their readings by reason."""

    stream: str
    files: tuple[FileRow, ...]
    touched_days: tuple[date, ...]
    refused: dict[str, int]
    messages: tuple[str, ...]
    versions: dict[str, int]
    seconds: float

    @property
    def accepted(self) -> int:
        """Events that these files have in silver."""
        return sum(row.accepted for row in self.files)


def pending(config: Config, stream_name: str) -> list[str]:
    """Paths for which the tables are behind the landing folder or the stream's definition."""
    return pending_files(config, registry.stream(stream_name))


def is_up_to_date(config: Config, stream_name: str) -> bool:
    """Whether an ingest would have nothing to do. Reads every landed byte once."""
    return not pending(config, stream_name)


def ingest(config: Config, stream_name: str, progress: Progress | None = None) -> IngestReport:
    """Bring the stream's tables up to its landed files. Starts no JVM.

    `progress` hears each stage of flow.py begin, and in between details that begin with the stage's name.
    Raises LandingFailed (the folder can't be read), StorageFailed (no space), TableMismatch, NotSetUp.
    """
    stream, say, began = registry.stream(stream_name), progress or (lambda text: None), time.monotonic()
    with ingest_lock.held(config, stream.name):
        for table in ingest_tables(stream):
            lake.ensure(config, table)
        changes, merged, days = _until_still(config, stream, say)
        rows = _final_rows(stream, changes, merged)
        _write_rows(config, stream, rows)
    versions = {table.name: lake.version(config, table.name) for table in ingest_tables(stream)}
    messages = (*changes.messages, *_said(stream, rows))
    return IngestReport(stream.name, tuple(rows), days, _refused(changes, merged), messages, versions,
                        time.monotonic() - began)


def _until_still(config: Config, stream: Stream, say: Progress) -> tuple[Changes, Merged | None, tuple[date, ...]]:
    """Apply the changes; files that change while they are read are left out, for the next ingest."""
    left_out: frozenset[str] = frozenset()
    while True:
        say(flow.LAND.name)
        changes = find(config, stream, datetime.now(UTC).date(), left_out)
        try:
            merged, days = _apply(config, stream, changes, say)
            moved = [f"{path}: left out, it changed while it was read; the next ingest takes it" for path in left_out]
            return replace(changes, messages=(*changes.messages, *moved)), merged, days
        except LandingFailed:
            changed = {path for path in changes.landed if land.content_hash_or_none(config.landing, path)
                       != changes.rows[path].content_hash}
            if not changed:
                raise
            left_out |= changed


def _apply(config: Config, stream: Stream, changes: Changes, say: Progress) -> tuple[Merged | None, tuple[date, ...]]:
    """Write every table but the files' final rows."""
    if not changes.touch_tables:
        say(flow.TICKS.name)
        return None, partitions.make(config, stream)
    beside = definition.side_inputs(config, stream, changes.definition)  # before anything is touched: it may be damaged
    _write_rows(config, stream, [changes.intent(path) for path in changes.rows])
    if changes.landed:
        say(flow.BRONZE.name)
        say(f"bronze: {len(changes.landed)} file(s)")
        bronze.write(config, stream, changes)
    say(flow.SILVER.name)
    say("silver: judging lines and duplicates")
    judging = Judging(stream, changes.definition.hash, _layouts(config, stream, changes), beside)
    with merge.merged(config, judging, changes) as merged:
        _write_merged(config, stream, changes, merged, say)
    say(flow.TICKS.name)
    return merged, partitions.make(config, stream)


def _write_merged(config: Config, stream: Stream, changes: Changes, merged: Merged, say: Progress) -> None:
    _write_rows(config, stream, [replace(changes.known[path], definition=INTENT) for path in merged.others_touched])
    partitions.forget(config, stream, merged.days)
    if merged.days:
        say(f"silver: {len(merged.days)} arrival day(s)")
        silver.write_silver(config, stream, merged)
    if _quarantine_changes(changes, merged):
        say("silver: quarantine")
        silver.write_quarantine(config, stream, changes, merged)


def _quarantine_changes(changes: Changes, merged: Merged) -> bool:
    known = [changes.known[path] for path in changes.rows if path in changes.known]
    had_rows = any(row.definition == INTENT or row.quarantined or row.duplicates for row in known)
    gets_rows = bool(merged.moves) or any(reason is not None for _, reason in merged.readings)
    return had_rows or gets_rows or any(row.state == UNREADABLE for row in changes.rows.values())


def _layouts(config: Config, stream: Stream, changes: Changes) -> dict[str, str | None]:
    """Each file's layout by path; chosen anew, from bronze, for files that are made again after a new definition."""
    layouts = {path: row.layout for path, row in {**changes.known, **changes.rows}.items()}
    again = [path for path in changes.delivering if path not in changes.landed]
    if again:
        first = bronze.first_lines(config, stream, again)
        chosen = {path: choose_layout(stream, path, first[path]) if path in first else None for path in again}
        layouts |= {path: layout.name if layout else None for path, layout in chosen.items()}
        changes.rows.update({path: replace(changes.rows[path], layout=layouts[path]) for path in again})
    return layouts


def _final_rows(stream: Stream, changes: Changes, merged: Merged | None) -> list[FileRow]:
    rows = list(changes.rows.values())
    if merged:
        readings = defaultdict(Counter)
        for (path, reason), count in merged.readings.items():
            readings[path][reason] = count
        rows = [_counted(row, readings[row.path], merged) if row.state == ACCEPTED else row for row in rows]
        rows += [_recounted(changes.known[path], merged) for path in merged.others_touched]
    return [replace(row, definition=changes.definition.hash) for row in rows]


def _counted(row: FileRow, of_file: Counter, merged: Merged) -> FileRow:
    readings, duplicates = of_file.total(), merged.moves[row.path, NEW]
    accepted = of_file[None] - duplicates
    return replace(row, readings=readings, accepted=accepted, quarantined=readings - accepted - duplicates,
                   duplicates=duplicates)


def _recounted(row: FileRow, merged: Merged) -> FileRow:
    """The row of a file that didn't change, after some of its readings lost or gained the place of the event."""
    gained = merged.moves[row.path, WAS_DUPLICATE] - merged.moves[row.path, EVENT]
    return replace(row, accepted=row.accepted + gained, duplicates=row.duplicates - gained)


def _write_rows(config: Config, stream: Stream, rows: list[FileRow]) -> None:
    if rows:
        theirs = lake.among("path", [row.path for row in rows])
        lake.replace(config, files_table(stream), theirs, as_table(stream, rows))


def _refused(changes: Changes, merged: Merged | None) -> dict[str, int]:
    refused = Counter()
    for row in changes.rows.values():
        if row.state in (DUPLICATE, UNREADABLE):
            refused["duplicate file" if row.state == DUPLICATE else "unreadable file"] += row.readings
    if merged:
        for (_, reason), count in merged.readings.items():
            refused[reason or "duplicate"] += count if reason else 0
        refused["duplicate"] += sum(count for (_, was), count in merged.moves.items() if was == NEW)
    return {reason: count for reason, count in sorted(refused.items()) if count}


def _said(stream: Stream, rows: list[FileRow]) -> list[str]:
    headers = {layout.name for layout in stream.layouts if has_header(layout)}
    said = [f"{row.path}: {row.state}, {row.detail}" for row in rows if row.state != ACCEPTED]
    return said + [f"{row.path}: {row.state}, but it holds only its header" for row in rows
                   if row.state == ACCEPTED and row.lines == 1 and row.layout in headers]
