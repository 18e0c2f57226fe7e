"""Rows of `files_<stream>`: what ingest knows of each landed file.

A file's row carries the hash of the definition by which it was parsed. A row without one is an intent: an ingest began
to change what the file delivers and did not end; whatever it left is made again. Is the file's content new, then the
intent is `unfinished` and keeps the row that the file had before, since the file may be gone when the next ingest
looks: the new content has then never come, and the path delivers what it delivered before.

Of several files with equal content one delivers it; the others are refused, their lines counted.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date

from pipelines.delta.lake import Lake
from schemas.errors import NotSetUp
from schemas.parsing import has_header
from schemas.stream import Stream
from schemas.tables import Table

ACCEPTED, EMPTY, DUPLICATE, UNREADABLE, NO_EVENTS = "accepted", "empty", "duplicate file", "unreadable", "no events"
UNFINISHED, FORGOTTEN, LINES_LOST = "unfinished", "forgotten", "lines lost"
REFUSED = "refused"  # what an accepted file is called of whose records none was accepted
REMOVED = "removed"  # what a row is to become that is to go
DELIVERS = (ACCEPTED, LINES_LOST)
LEAVE_NO_ROWS = (EMPTY, DUPLICATE, NO_EVENTS, FORGOTTEN, REMOVED)
INTENT = ""
# Each commit leaves a Parquet file or two. Rows are one a file, and known when they are written: rewriting them all now
# and then costs less than opening what thousands of ingests left.
MOST_PARQUET_FILES = 16


@dataclass(frozen=True)
class FileRow:
    """A row of `files_<stream>`."""

    path: str
    content_hash: str
    file_bytes: int
    landed_date: date
    state: str
    detail: str | None = None
    layout: str | None = None
    lines: int = 0
    readings: int = 0
    accepted: int = 0
    quarantined: int = 0
    duplicates: int = 0
    definition: str = INTENT
    content_bytes: int | None = None
    modified_ns: int | None = None
    before: str | None = None

    @property
    def unpacked_bytes(self) -> int:
        """Of its content; of the file where that is unknown."""
        return self.file_bytes if self.content_bytes is None else self.content_bytes

    @property
    def is_intent(self) -> bool:
        """Whether an ingest began to change what the file delivers, and did not end."""
        return self.definition == INTENT

    @property
    def told(self) -> "FileRow":
        """The row as the table has it, for readers: to an ingest a file that was parsed is one, whatever it gave."""
        refused = self.state == ACCEPTED and 0 < self.readings == self.quarantined
        return replace(self, state=REFUSED) if refused else self

    def unfinished(self, before: "FileRow | None", bronze_version: int | None) -> "FileRow":
        """The intent of content that is to replace what a row stands for, whose lines that version of bronze holds."""
        kept = None
        if before is not None and before.state == UNFINISHED:
            kept = before.before
        elif before is not None and bronze_version is not None:
            kept = json.dumps({"row": asdict(before), "bronze_version": bronze_version}, default=str)
        return replace(self, state=UNFINISHED, definition=INTENT, before=kept)

    def row_before(self) -> "tuple[FileRow, int] | None":
        """What `unfinished` kept: the row, and the version of bronze; None where the path was new."""
        if self.before is None:
            return None
        kept = json.loads(self.before)
        row = kept["row"] | {"landed_date": date.fromisoformat(kept["row"]["landed_date"])}
        return FileRow(**row), kept["bronze_version"]

    def without_records(self, state: str, why: str | None) -> "FileRow":
        """The row of a file that delivers nothing."""
        return replace(
            self, state=state, detail=why, layout=None, readings=0, accepted=0, quarantined=0, duplicates=0, before=None
        )


def known_files(lake: Lake, files: Table) -> dict[str, FileRow]:
    """The rows by path; none where nothing was ever ingested."""
    try:
        rows = lake.read(files.name).to_pylist()
    except NotSetUp:
        return {}
    parsed = {REFUSED: ACCEPTED}
    return {row["path"]: FileRow(**row | {"state": parsed.get(row["state"], row["state"])}) for row in rows}


def write_files(lake: Lake, files: Table, rows: Iterable[FileRow]) -> None:
    """Replace the rows of these paths, in one commit; of those to be removed none is left."""
    changed = {row.path: row for row in rows}
    if not changed:
        return
    if len(lake.files(files.name)) < MOST_PARQUET_FILES:
        lake.replace(files, {"path": list(changed)}, _left(changed))
    else:
        lake.replace(files, {}, _left(known_files(lake, files) | changed))


def _left(rows: dict[str, FileRow]) -> list[dict]:
    return [asdict(row.told) for row in rows.values() if row.state != REMOVED]


def doubled(known: Mapping[str, FileRow], rows: Mapping[str, FileRow]) -> list[str]:
    """Known paths that deliver what another known path delivers too: all but the least of each content."""
    first: dict[str, str] = {}
    delivering = [row for path, row in sorted(known.items()) if path not in rows and row.state in DELIVERS]
    others = [
        row for row in delivering if row.content_hash and first.setdefault(row.content_hash, row.path) != row.path
    ]
    return [row.path for row in others if row.state == ACCEPTED]


def freed_duplicates(
    known: Mapping[str, FileRow], rows: Mapping[str, FileRow], listed: Iterable[str]
) -> tuple[list[str], list[str]]:
    """Files refused before, whose content no path delivers any more: the least path of each content among those that
    are listed; and paths of content that no listed file has."""
    held, there = _holders(known, rows), {*listed}
    refused = [row for path, row in sorted(known.items()) if path not in rows and row.state == DUPLICATE]
    free = [row for row in refused if row.content_hash and row.content_hash not in held]
    least = {row.content_hash: row.path for row in reversed(free) if row.path in there}
    new = {row.content_hash for row in rows.values() if row.state == ACCEPTED}
    return sorted(least.values()), [row.path for row in free if row.content_hash not in {*least, *new}]


def refuse_duplicates(
    stream: Stream, rows: Mapping[str, FileRow], known: Mapping[str, FileRow], freed: list[str]
) -> dict[str, FileRow]:
    """Refuse content that another path delivers: known content stays where it is, then come freed duplicates; of files
    that are new together the least path is taken."""
    holders = _holders(known, rows)
    decided = dict(rows)
    for path in (*freed, *sorted(rows.keys() - {*freed})):
        row = rows.get(path)
        if row is not None and row.state == ACCEPTED and row.content_hash:
            holder = holders.setdefault(row.content_hash, path)
            decided[path] = row if holder == path else _duplicate_row(stream, row, holder)
    return decided


def _holders(known: Mapping[str, FileRow], rows: Mapping[str, FileRow]) -> dict[str, str]:
    """Paths that go on to deliver what they delivered before, by content: those that are not made again first."""
    again = {
        row.content_hash: path
        for path, row in sorted(rows.items(), reverse=True)
        if row.state == ACCEPTED and path in known and _delivered(known[path]) == row.content_hash
    }
    unchanged = {row.content_hash: path for path, row in known.items() if path not in rows and row.state in DELIVERS}
    return again | unchanged


def _delivered(known: FileRow) -> str | None:
    """Hash of the content that the path delivered when its ingest last ended."""
    before = known.row_before() if known.state == UNFINISHED else (known, None)
    return before[0].content_hash if before and before[0].state in DELIVERS else None


def _duplicate_row(stream: Stream, row: FileRow, first: str) -> FileRow:
    layout = stream.layout(row.layout)
    readings = row.lines - (layout is not None and has_header(layout))
    detail = f"the same content as {first}"
    return replace(row.without_records(DUPLICATE, detail), layout=row.layout, readings=readings, duplicates=readings)
