"""What an ingest has to do: the landing folder compared with what `files_<stream>` says was made of it.

A file's row carries the hash of the definition that judged it. A row without one is an intent: an ingest began to
change what the file delivers and did not end; whatever it left is made again.
"""

from dataclasses import asdict, dataclass, replace
from datetime import date

import pyarrow as pa

from pipelines import definition, lake, land
from pipelines.arrow_schemas import arrow_schema
from pipelines.config import Config
from pipelines.definition import Definition
from schemas.reading import belongs, choose_layout, has_header, no_events
from schemas.stream import Stream
from schemas.tables import files_table

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


@dataclass(frozen=True)
class Changes:
    """Files whose readings are made anew, each with its row as far as it is known before its lines are judged.

    `landed`: those among them whose content comes from the landing folder; the others are made again from bronze.
    """

    definition: Definition
    rows: dict[str, FileRow]
    landed: frozenset[str]
    known: dict[str, FileRow]
    messages: tuple[str, ...]

    @property
    def delivering(self) -> list[str]:
        """Changed files whose lines are judged."""
        return [path for path, row in self.rows.items() if row.state == ACCEPTED]

    def intent(self, path: str) -> FileRow:
        """The file's row until the ingest ends. A landed file's has no hash: its content may never reach bronze."""
        row = replace(self.rows[path], definition=INTENT)
        return replace(row, content_hash="") if path in self.landed else row

    @property
    def touch_tables(self) -> bool:
        """Whether more than `files_<stream>` changes."""
        leave_no_rows = (EMPTY, DUPLICATE, NO_EVENTS)
        known = [self.known[path] for path in self.rows if path in self.known]
        cut_off = any(row.definition == INTENT for row in known)
        return cut_off or any(row.state not in leave_no_rows for row in (*self.rows.values(), *known))


def known_files(config: Config, stream: Stream) -> dict[str, FileRow]:
    """The rows of `files_<stream>` by path; none where nothing was ever ingested."""
    table = files_table(stream)
    if lake.version(config, table.name) is None:
        return {}
    return {row["path"]: FileRow(**row) for row in lake.read(config, table.name).to_pylist()}


def as_table(stream: Stream, rows: list[FileRow]) -> pa.Table:
    """Rows for `files_<stream>`."""
    return pa.Table.from_pylist([asdict(row) for row in rows], schema=arrow_schema(files_table(stream)))


def pending(config: Config, stream: Stream) -> list[str]:
    """Paths for which the tables are behind the landing folder or the definition. Reads every landed byte once."""
    known, found = known_files(config, stream), land.listing(config.landing, stream)
    judged_by = definition.now(config, stream, found)
    behind = {path for path, row in known.items() if not judged_by.holds(row.definition)}
    for path in (*found.events, *found.no_events):
        if path not in known or land.content_hash_or_none(config.landing, path) != known[path].content_hash:
            behind.add(path)
    return sorted(behind, key=str.encode)


def find(config: Config, stream: Stream, today: date, leave_out: frozenset[str] = frozenset()) -> Changes:
    """Compare landing folder and `files_<stream>`; files to leave out (they changed while read) count as absent."""
    known, found = known_files(config, stream), land.listing(config.landing, stream)
    judged_by, messages = definition.now(config, stream, found), list(found.messages)
    listed = [path for path in (*found.events, *found.no_events) if path not in leave_out]
    landed = {path: file for path in listed if (file := _land_if_new(config, stream, known.get(path), path, messages))}
    messages += _gone(known, {*found.events, *found.no_events})
    again = {path: row for path, row in known.items()
             if path not in landed and path not in leave_out and not judged_by.holds(row.definition)}
    judged_by.require_side_inputs_of(again[path].definition for path in again)
    rows = {path: _first_row(stream, file, known.get(path), today) for path, file in landed.items()}
    rows |= {path: _row_again(stream, row) for path, row in again.items()}
    freed = _freed_duplicates(known, rows, landed, listed)
    for path in freed:
        if file := _land_or_say(config, path, messages):
            rows[path] = _first_row(stream, file, known[path], today)
    rows = _refuse_duplicates(stream, rows, known, freed)
    return Changes(judged_by, rows, frozenset(landed) | frozenset(rows).intersection(freed), known, tuple(messages))


def _land_if_new(config: Config, stream: Stream, row: FileRow | None, path: str,
                 messages: list[str]) -> land.Landed | None:
    # A file that was no file of events and now is one, after a fix of the definition, is as good as new.
    known = row is not None and row.definition != INTENT and not (row.state == NO_EVENTS and belongs(stream, path))
    if known and land.content_hash_or_none(config.landing, path) == row.content_hash:
        return None
    return _land_or_say(config, path, messages)


def _land_or_say(config: Config, path: str, messages: list[str]) -> land.Landed | None:
    try:
        return land.land(config.landing, path)
    except land.LeftOut as left_out:
        messages.append(str(left_out))
        return None


def _gone(known: dict[str, FileRow], listed: set[str]) -> list[str]:
    gone = sorted(known.keys() - listed)
    return [f"{len(gone)} file(s) are no longer in the landing folder, such as {gone[0]}; what they delivered stays"
            ] if gone else []


def _first_row(stream: Stream, file: land.Landed, known: FileRow | None, today: date) -> FileRow:
    same = known is not None and known.content_hash == file.content_hash
    row = FileRow(file.path, file.content_hash, file.file_bytes, known.landed_date if same else today, ACCEPTED,
                  lines=file.lines)
    if why := no_events(stream, file.path):
        return replace(row, state=NO_EVENTS, detail=why)
    if file.unreadable:
        return replace(row, state=UNREADABLE, detail=file.unreadable, readings=1, quarantined=1)
    if file.lines == 0:
        return replace(row, state=EMPTY, detail="the file holds no lines")
    layout = choose_layout(stream, file.path, file.first_line) if file.first_line is not None else None
    return replace(row, layout=layout.name if layout else None)


def _row_again(stream: Stream, row: FileRow) -> FileRow:
    """A file's row when only the definition changed; its layout is chosen later, from bronze."""
    if why := no_events(stream, row.path):
        return _without_readings(row, why)
    if not belongs(stream, row.path):
        return _without_readings(row, "no layout of the stream is for files of that name")
    return row


def _without_readings(row: FileRow, why: str) -> FileRow:
    return replace(row, state=NO_EVENTS, detail=why, layout=None, readings=0, accepted=0, quarantined=0, duplicates=0)


def _freed_duplicates(known: dict[str, FileRow], rows: dict[str, FileRow], landed: dict[str, land.Landed],
                      listed: list[str]) -> list[str]:
    """Files refused before, whose content no path delivers any more: the least path of each content."""
    kept = {row.content_hash for path, row in known.items() if path not in landed and row.state == ACCEPTED
            and rows.get(path, row).state == ACCEPTED}
    refused = [path for path in listed if path in known and path not in landed and known[path].state == DUPLICATE
               and known[path].content_hash]
    freed = {known[path].content_hash: path for path in sorted(refused, key=str.encode, reverse=True)
             if known[path].content_hash not in kept}
    return sorted(freed.values(), key=str.encode)


def _refuse_duplicates(stream: Stream, rows: dict[str, FileRow], known: dict[str, FileRow],
                       freed: list[str]) -> dict[str, FileRow]:
    """Refuse content that another path delivers: first known stays; of files that are new together, the least path."""
    delivered = {row.content_hash: path for path, row in known.items() if row.state == ACCEPTED and path not in rows}
    again = [path for path in rows if path in known and known[path].content_hash == rows[path].content_hash
             and known[path].state == ACCEPTED]
    others = sorted(rows.keys() - {*again, *freed}, key=str.encode)
    judged = dict(rows)
    for path in (*again, *freed, *others):
        row = rows.get(path)
        if row is not None and row.state == ACCEPTED and row.content_hash:
            first = delivered.setdefault(row.content_hash, path)
            judged[path] = row if first == path else _duplicate_row(stream, row, first)
    return judged


def _duplicate_row(stream: Stream, row: FileRow, first: str) -> FileRow:
    layout = next((layout for layout in stream.layouts if layout.name == row.layout), None)
    readings = row.lines - 1 if layout is not None and has_header(layout) else row.lines
    return replace(row, state=DUPLICATE, detail=f"the same bytes as {first}", readings=readings, duplicates=readings)
