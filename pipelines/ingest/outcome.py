"""What became of each file: its final row, and the report of the ingest."""

from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from pipelines.ingest.changes import Changes
from pipelines.ingest.deduplicate import DUPLICATE as WAS_DUPLICATE
from pipelines.ingest.deduplicate import EVENT, NEW, Deduplicated
from pipelines.ingest.files import ACCEPTED, DUPLICATE, UNREADABLE, FileRow
from pipelines.lake.snapshot import Snapshot
from schemas.parsing import has_header
from schemas.stream import Stream


@dataclass(frozen=True)
class IngestReport:
    """What one ingest did. `files`: the rows of `files_<stream>` that it wrote; `refused`: their records by reason;
    `accepted`: events that they have in silver."""

    stream: str
    files: tuple[FileRow, ...]
    touched_days: tuple[date, ...]
    refused: dict[str, int]
    messages: tuple[str, ...]
    snapshot: Snapshot
    seconds: float
    accepted: int


class Applied(NamedTuple):
    """Changes that were applied, what became of their records (None: they had no lines), and the days of silver that
    were made or taken away."""

    changes: Changes
    found: Deduplicated | None
    days: tuple[date, ...]


def report(stream: Stream, applied: Applied, rows: list[FileRow], snapshot: Snapshot, seconds: float) -> IngestReport:
    """The report of an ingest that wrote these rows of `files_<stream>`."""
    changes, found, days = applied
    messages = (*changes.messages, *_messages(stream, rows))
    accepted = sum(row.accepted for row in rows)
    return IngestReport(stream.name, tuple(rows), days, _refused(changes, found), messages, snapshot, seconds, accepted)


def final_rows(applied: Applied) -> list[FileRow]:
    """The rows of changed files, and of others whose records lost or gained a place."""
    changes, found, _ = applied
    rows = list(changes.rows.values())
    if found:
        readings: defaultdict[str, Counter[str | None]] = defaultdict(Counter)
        for (path, reason), count in found.records.items():
            readings[path][reason] = count
        rows = [_counted(row, readings[row.path], found) if row.state == ACCEPTED else row for row in rows]
        rows += [_recounted(changes.known[path], found) for path in found.others_touched]
    return [replace(row, definition=changes.definition.hash) for row in rows]


def _counted(row: FileRow, of_file: Counter[str | None], found: Deduplicated) -> FileRow:
    readings, duplicates = of_file.total(), found.moves[row.path, NEW]
    accepted = of_file[None] - duplicates
    return replace(
        row, readings=readings, accepted=accepted, quarantined=readings - accepted - duplicates, duplicates=duplicates
    )


def _recounted(row: FileRow, found: Deduplicated) -> FileRow:
    """The row of a file that didn't change, after some of its records lost or gained the place of the event."""
    gained = found.moves[row.path, WAS_DUPLICATE] - found.moves[row.path, EVENT]
    return replace(row, accepted=row.accepted + gained, duplicates=row.duplicates - gained)


def _refused(changes: Changes, found: Deduplicated | None) -> dict[str, int]:
    """Refused records by reason."""
    counts: Counter[str] = Counter()
    for row in changes.rows.values():
        if row.state in (DUPLICATE, UNREADABLE):
            counts["duplicate file" if row.state == DUPLICATE else "unreadable file"] += row.readings
    if found:
        for (_, reason), count in found.records.items():
            counts[reason or "duplicate"] += count if reason else 0
        counts["duplicate"] += sum(count for (_, was), count in found.moves.items() if was == NEW)
    return {reason: count for reason, count in sorted(counts.items()) if count}


def _messages(stream: Stream, rows: list[FileRow]) -> list[str]:
    """One per file that gave no events."""
    headers = {layout.name for layout in stream.layouts if has_header(layout)}
    not_accepted = [f"{row.path}: {row.state}, {row.detail}" for row in rows if row.state != ACCEPTED]
    return not_accepted + [
        f"{row.path}: {row.state}, but it holds only its header"
        for row in rows
        if row.state == ACCEPTED and row.lines == 1 and row.layout in headers
    ]
