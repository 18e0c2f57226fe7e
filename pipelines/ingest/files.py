"""Rows of `files_<stream>`: what ingest knows of each landed file.

A file's row carries the hash of the definition by which it was parsed. A row without one is an intent: an ingest began
to change what the file delivers and did not end; whatever it left is made again. Is the file's content new, then the
intent is `unfinished` and keeps the row that the file had before, since the file may be gone when the next ingest
looks: the new content has then never come, and the path delivers what it delivered before.

Of several files with equal content one delivers it; the others are refused, their lines counted.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date

from windrow.pipelines.delta.lake import Lake
from windrow.schemas.errors import NotSetUp
from windrow.schemas.parsing import has_header
from windrow.schemas.stream import Stream
from windrow.schemas.tables import Table

ACCEPTED, EMPTY, DUPLICATE, UNREADABLE, NO_EVENTS = "accepted", "empty", "duplicate file", "unreadable", "no events"
UNFINISHED, FORGOTTEN, LINES_LOST = "unfinished", "forgotten", "lines lost"
REFUSED = "refused"  # what an accepted file is called of whose records none was accepted
REMOVED = "removed"  # what a row is to become that is to go
DELIVERS = (ACCEPTED, LINES_LOST)
LEAVE_NO_ROWS = (EMPTY, DUPLICATE, NO_EVENTS, FORGOTTEN, REMOVED)
INTENT = ""


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
    left = [asdict(row.told) for row in changed.values() if row.state != REMOVED]
    if changed:
        lake.replace(files, {"path": list(changed)}, left)


def deliverers(
    known: Mapping[str, FileRow], rows: Mapping[str, FileRow], listed: Collection[str] = ()
) -> dict[str, str]:
    """Of each content the path that delivers it once `rows` are made anew: one that goes on to do so, unchanged before
    made again; then a duplicate of before that is listed, then a new file; of several the least. O(files · log
    files)."""
    found: dict[str, str] = {}
    ranked = ((_rank(known.get(path), rows.get(path), listed), path) for path in known.keys() | rows.keys())
    for _, path in sorted((rank, path) for rank, path in ranked if rank is not None):
        found.setdefault((rows.get(path) or known[path]).content_hash, path)
    return found


def _rank(known: FileRow | None, row: FileRow | None, listed: Collection[str]) -> int | None:
    """0: it goes on unchanged, 1: made again, 2: a duplicate of before, 3: new; None of a file that can't deliver."""
    if row is None:
        if known is None or not known.content_hash:
            return None
        return 0 if known.state in DELIVERS else 2 if known.state == DUPLICATE and known.path in listed else None
    if row.state != ACCEPTED or not row.content_hash:
        return None
    before = known
    if known is not None and known.state == UNFINISHED:
        before, _ = known.row_before() or (None, None)
    if before is None or before.content_hash != row.content_hash:
        return 3
    return 1 if before.state in DELIVERS else 2 if before.state == DUPLICATE else 3


def refuse_duplicates(stream: Stream, rows: Mapping[str, FileRow], known: Mapping[str, FileRow]) -> dict[str, FileRow]:
    """The rows, but of those whose content another path delivers as duplicates."""
    first = deliverers(known, rows)
    return {
        path: _duplicate_row(stream, row, first[row.content_hash])
        if row.state == ACCEPTED and first.get(row.content_hash, path) != path
        else row
        for path, row in rows.items()
    }


def _duplicate_row(stream: Stream, row: FileRow, first: str) -> FileRow:
    layout = stream.layout(row.layout)
    readings = row.lines - (layout is not None and has_header(layout))
    detail = f"the same content as {first}"
    return replace(row.without_records(DUPLICATE, detail), layout=row.layout, readings=readings, duplicates=readings)
