"""Rows of `files_<stream>`: what ingest knows of each landed file.

A file's row carries the hash of the definition by which it was parsed. A row without one is an intent: an ingest began
to change what the file delivers and did not end; whatever it left is made again.
"""

from dataclasses import asdict, dataclass
from datetime import date

from pipelines.lake.lake import Lake
from schemas.errors import NotSetUp
from schemas.tables import Table

ACCEPTED, EMPTY, DUPLICATE, UNREADABLE, NO_EVENTS = "accepted", "empty", "duplicate file", "unreadable", "no events"
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


def known_files(lake: Lake, files: Table) -> dict[str, FileRow]:
    """The rows by path; none where nothing was ever ingested."""
    try:
        rows = lake.read(files.name).to_pylist()
    except NotSetUp:
        return {}
    return {row["path"]: FileRow(**row) for row in rows}


def write_files(lake: Lake, files: Table, rows: list[FileRow]) -> None:
    """Replace the rows of these paths, in one commit."""
    if rows:
        lake.replace(files, {"path": [row.path for row in rows]}, [asdict(row) for row in rows])
