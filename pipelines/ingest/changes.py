"""What an ingest has to do: the landing folder compared with `files_<stream>`, what was made of it."""

from dataclasses import dataclass, replace
from datetime import date

from pipelines.ingest import definition, landing
from pipelines.ingest.definition import Definition
from pipelines.ingest.files import (
    ACCEPTED,
    DUPLICATE,
    EMPTY,
    INTENT,
    NO_EVENTS,
    UNREADABLE,
    FileRow,
    known_files,
)
from pipelines.lake.lake import Lake
from pipelines.lake.stream_tables import StreamTables
from schemas.parsing import belongs, choose_layout, has_header, no_events
from schemas.stream import Stream


@dataclass(frozen=True)
class Changes:
    """Files whose records are made anew, each with its row as far as it is known before its lines are parsed.

    `landed`: those among them whose content comes from the landing folder; the others are made again from bronze.
    `delivering`: those whose lines are parsed. `intents`: rows of all of them until the ingest ends. `touch_tables`:
    whether more than `files_<stream>` changes.
    """

    definition: Definition
    rows: dict[str, FileRow]
    landed: frozenset[str]
    known: dict[str, FileRow]
    delivering: tuple[str, ...]
    intents: dict[str, FileRow]
    touch_tables: bool
    messages: tuple[str, ...]


def pending(lake: Lake, tables: StreamTables) -> list[str]:
    """Paths for which the tables are behind the landing folder or the definition. Reads every landed byte once."""
    root, known = lake.config.landing, known_files(lake, tables.files)
    found = landing.listing(root, tables.stream)
    behind = definition.parsed_by_another(root, tables.stream, found, known)
    for path in (*found.events, *found.no_events):
        if path not in known or landing.content_hash_or_none(root, path) != known[path].content_hash:
            behind.add(path)
    return sorted(behind, key=str.encode)


def find(lake: Lake, tables: StreamTables, today: date, leave_out: frozenset[str] = frozenset()) -> Changes:
    """Compare landing folder and `files_<stream>`; files to leave out (they changed while read) count as absent."""
    search = _Search(lake, tables, today, leave_out)
    search.take_new_files()
    search.take_again_what_another_definition_parsed()
    search.take_freed_duplicates()
    return search.changes()


class _Search:
    """One comparison. `rows`: those of the changed files so far; `landed`: paths among them read from the folder."""

    def __init__(self, lake: Lake, tables: StreamTables, today: date, leave_out: frozenset[str]):
        self.root, self.stream, self.today, self.leave_out = lake.config.landing, tables.stream, today, leave_out
        self.known, found = known_files(lake, tables.files), landing.listing(self.root, tables.stream)
        self.definition = definition.now(self.root, tables.stream, found)
        everything = (*found.events, *found.no_events)
        self.listed = [path for path in everything if path not in leave_out]
        self.messages, self.gone = list(found.messages), _gone(self.known, set(everything))
        self.rows: dict[str, FileRow] = {}
        self.landed: set[str] = set()
        self.freed: list[str] = []

    def take_new_files(self) -> None:
        """Files that are new, or have other bytes than before."""
        for path in self.listed:
            if self._is_new(path):
                self._take(path)
        self.messages += self.gone

    def take_again_what_another_definition_parsed(self) -> None:
        """From bronze; raises LandingFailed where side inputs that this needs are gone."""
        again = {
            path: row
            for path, row in self.known.items()
            if path not in self.landed and path not in self.leave_out and not self.definition.covers(row.definition)
        }
        self.definition.require_side_inputs_of(row.definition for row in again.values())
        self.rows |= {path: _row_again(self.stream, row) for path, row in again.items()}

    def take_freed_duplicates(self) -> None:
        """Files refused before, whose content no other path delivers any more."""
        self.freed = _freed_duplicates(self.known, self.rows, self.landed, self.listed)
        for path in self.freed:
            self._take(path)

    def changes(self) -> Changes:
        """What was found, without files whose content another path delivers."""
        rows = _refuse_duplicates(self.stream, self.rows, self.known, self.freed)
        return Changes(
            self.definition,
            rows,
            frozenset(self.landed),
            self.known,
            tuple(path for path, row in rows.items() if row.state == ACCEPTED),
            {path: _intent(row, path in self.landed) for path, row in rows.items()},
            _touch_tables(rows, self.known),
            tuple(self.messages),
        )

    def _is_new(self, path: str) -> bool:
        row = self.known.get(path)
        # A file that was no file of events and now is one, after a fix of the definition, is as good as new.
        if row is None or row.definition == INTENT or (row.state == NO_EVENTS and belongs(self.stream, path)):
            return True
        return landing.content_hash_or_none(self.root, path) != row.content_hash

    def _take(self, path: str) -> None:
        try:
            file = landing.inspect(self.root, path)
        except landing.LeftOut as left_out:
            self.messages.append(str(left_out))
            return
        self.rows[path] = _first_row(self.stream, file, self.known.get(path), self.today)
        self.landed.add(path)


def _intent(row: FileRow, landed: bool) -> FileRow:
    """A landed file's has no hash: its content may never reach bronze."""
    return replace(row, definition=INTENT, content_hash="" if landed else row.content_hash)


def _touch_tables(rows: dict[str, FileRow], known: dict[str, FileRow]) -> bool:
    leave_no_rows = (EMPTY, DUPLICATE, NO_EVENTS)
    before = [known[path] for path in rows if path in known]
    cut_off = any(row.definition == INTENT for row in before)
    return cut_off or any(row.state not in leave_no_rows for row in (*rows.values(), *before))


def _gone(known: dict[str, FileRow], listed: set[str]) -> list[str]:
    gone = sorted(known.keys() - listed)
    return (
        [f"{len(gone)} file(s) are no longer in the landing folder, such as {gone[0]}; what they delivered stays"]
        if gone
        else []
    )


def _first_row(stream: Stream, file: landing.Landed, known: FileRow | None, today: date) -> FileRow:
    same = known if known is not None and known.content_hash == file.content_hash else None
    landed = same.landed_date if same else today
    row = FileRow(file.path, file.content_hash, file.file_bytes, landed, ACCEPTED, lines=file.lines)
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


def _freed_duplicates(
    known: dict[str, FileRow], rows: dict[str, FileRow], landed: set[str], listed: list[str]
) -> list[str]:
    """Files refused before, whose content no path delivers any more: the least path of each content."""
    kept = {
        row.content_hash
        for path, row in known.items()
        if path not in landed and row.state == ACCEPTED and rows.get(path, row).state == ACCEPTED
    }
    refused = [
        path
        for path in listed
        if path in known and path not in landed and known[path].state == DUPLICATE and known[path].content_hash
    ]
    freed = {
        known[path].content_hash: path
        for path in sorted(refused, key=str.encode, reverse=True)
        if known[path].content_hash not in kept
    }
    return sorted(freed.values(), key=str.encode)


def _refuse_duplicates(
    stream: Stream, rows: dict[str, FileRow], known: dict[str, FileRow], freed: list[str]
) -> dict[str, FileRow]:
    """Refuse content that another path delivers: first known stays; of files that are new together, the least path."""
    delivered = {row.content_hash: path for path, row in known.items() if row.state == ACCEPTED and path not in rows}
    again = [
        path
        for path in rows
        if path in known and known[path].content_hash == rows[path].content_hash and known[path].state == ACCEPTED
    ]
    others = sorted(rows.keys() - {*again, *freed}, key=str.encode)
    decided = dict(rows)
    for path in (*again, *freed, *others):
        row = rows.get(path)
        if row is not None and row.state == ACCEPTED and row.content_hash:
            first = delivered.setdefault(row.content_hash, path)
            decided[path] = row if first == path else _duplicate_row(stream, row, first)
    return decided


def _duplicate_row(stream: Stream, row: FileRow, first: str) -> FileRow:
    layout = next((layout for layout in stream.layouts if layout.name == row.layout), None)
    readings = row.lines - 1 if layout is not None and has_header(layout) else row.lines
    return replace(row, state=DUPLICATE, detail=f"the same bytes as {first}", readings=readings, duplicates=readings)
