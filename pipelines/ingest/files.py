"""Rows of `files_<stream>`: what ingest knows of each landed file.

A file's row carries the hash of the definition by which it was parsed. A row without one is an intent: an ingest began
to change what the file delivers and did not end; whatever it left is made again. Is the file's content new, then the
intent is `unfinished` and keeps the row that the file had before, since the file may be gone when the next ingest
looks: the new content has then never come, and the path delivers what it delivered before.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import date

from pipelines.delta.lake import Lake
from schemas.errors import NotSetUp
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
