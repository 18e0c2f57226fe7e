"""What an ingest has to do: the landing folder compared with `files_<stream>`, what was made of it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from deltalake.exceptions import DeltaError

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Engine, packed_within
from windrow.pipelines.ingest import landing
from windrow.pipelines.ingest.file_content import LeftOut, inspect_share
from windrow.pipelines.ingest.files import (
    ACCEPTED,
    DELIVERS,
    DUPLICATE,
    FORGOTTEN,
    INTENT,
    LEAVE_NO_ROWS,
    LINES_LOST,
    NO_EVENTS,
    REMOVED,
    UNFINISHED,
    FileRow,
    deliverers,
    known_files,
    refuse_duplicates,
)
from windrow.pipelines.ingest.parse import Definition, definition_now
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.errors import NotSetUp
from windrow.schemas.parsing import belongs, no_events
from windrow.schemas.stream import ACROSS_LINES

LEFT_OUT = "its content is left out until it changes"
LEAST_BYTES = 64 << 10  # of a smaller file too: memory grows with each, so a batch has 8,192 of these at most
GONE = (DeltaError, NotSetUp, OSError, pa.ArrowInvalid)  # a version of bronze, its table or its Parquet files


@dataclass(frozen=True)
class Asked:
    """What an ingest is asked for. leave_out: files that count as absent, since they changed while they were read;
    verify_content: to read all content, also where size and modification time are as before; forget, again: paths that
    are to deliver nothing any more, or to be made again from bronze, where nothing else is looked for; left_out: hashes
    of content that paths were to deliver no more, should `files_<stream>` know nothing of these paths."""

    leave_out: frozenset[str] = frozenset()
    verify_content: bool = False
    forget: frozenset[str] = frozenset()
    again: frozenset[str] | None = None
    left_out: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Changes:
    """Files whose records are made anew, each with its row as far as it is known before its lines are parsed.

    `landed`: paths whose content comes from the landing folder. `restored`: the version of bronze, an older one, that
    lines come from, by path. The others are made again from bronze. `known`: the rows before, `bronze_version` of that
    moment. `remembered`: rows of files that hold what they held, and have another size or time.
    """

    definition: Definition
    rows: dict[str, FileRow]
    landed: frozenset[str]
    known: dict[str, FileRow]
    bronze_version: int | None = None
    restored: dict[str, int] = field(default_factory=dict)
    remembered: Sequence[FileRow] = ()
    messages: Sequence[str] = ()

    @property
    def delivering(self) -> tuple[str, ...]:
        return tuple(path for path, row in self.rows.items() if row.state == ACCEPTED)

    @property
    def intents(self) -> dict[str, FileRow]:
        """Rows of all of them until the ingest ends."""
        return {path: self._intent(row) for path, row in self.rows.items()}

    def brings_lines(self, path: str) -> bool:
        """Whether bronze gets other lines of the file than it holds."""
        return path in self.landed or path in self.restored

    def _intent(self, row: FileRow) -> FileRow:
        known = self.known.get(row.path)
        if self.brings_lines(row.path):
            return row.unfinished(known, self.bronze_version)
        if row.state == REMOVED:
            # What is to be forgotten keeps nothing to come back to, whichever process ends it.
            return replace(row, state=UNFINISHED, definition=INTENT)
        return replace(row if row.state == FORGOTTEN else self.known[row.path], definition=INTENT)

    @property
    def touch_tables(self) -> bool:
        """Whether more than `files_<stream>` changes."""
        before = [self.known[path] for path in self.rows if path in self.known]
        cut_off = any(row.is_intent for row in before)
        return cut_off or any(row.state not in LEAVE_NO_ROWS for row in (*self.rows.values(), *before))

    def batches(self, most_bytes: int) -> Iterator["Changes"]:
        """The same with a part of the rows each, of at most so many bytes of content, or of one file; one even if
        nothing changed. Known files first: what they no longer deliver is gone before new files come."""
        order = sorted(self.rows, key=lambda path: (path not in self.known, path))
        sizes = {path: max(self.rows[path].unpacked_bytes, LEAST_BYTES) for path in order}
        parts = packed_within(sizes, most_bytes) or [()]
        return (replace(self, rows={path: self.rows[path] for path in part}) for part in parts)


def pending(lake: Lake, tables: StreamTables) -> list[str]:
    """Paths whose records an ingest would make anew, or take out. Errors as of `find`; it starts no engine, and reads
    no file that is new."""
    search = _searched(lake, None, tables, date.min, Asked())
    return sorted({*search.rows, *search.unread})


def find(lake: Lake, engine: Engine, tables: StreamTables, today: date, asked: Asked = Asked()) -> Changes:
    """Compare landing folder and `files_<stream>`. LandingFailed where the folder can't be read, or side inputs are
    gone with which files are to be made again; NotSetUp where there is no folder. O(files · log files), and the bytes
    of those that are not as known."""
    return _searched(lake, engine, tables, today, asked).changes()


def _searched(lake: Lake, engine: Engine | None, tables: StreamTables, today: date, asked: Asked) -> "_Search":
    search = _Search(lake, engine, tables, today, asked)
    search.take_forgotten()
    search.take_back_unfinished()
    search.take_new_files()
    search.take_again_what_another_definition_parsed()
    search.take_what_is_to_be_delivered_once()
    return search


class _Search:
    """One comparison. engine: by which changes are made; None only to look at them, in this process. `rows`: those of
    the changed files so far; `landed`: paths among them read from the folder; `unread`: without an engine, new ones."""

    def __init__(self, lake: Lake, engine: Engine | None, tables: StreamTables, today: date, asked: Asked):
        self.lake, self.engine, self.tables, self.today, self.asked = lake, engine, tables, today, asked
        root, self.stream = lake.config.landing, tables.stream
        self.known, self.found = known_files(lake, tables.files), landing.listing(root, self.stream)
        self.trusted = {} if asked.verify_content else self.known
        self.definition = definition_now(root, self.stream, self.found, self.trusted)
        self.everything = {*self.found.paths}
        self.listed = [path for path in self.found.paths if path not in asked.leave_out]
        self.messages, self.rows = list(self.found.messages), dict[str, FileRow]()
        self.landed, self.unread = set[str](), set[str]()
        self.restored, self.remembered = dict[str, int](), list[FileRow]()

    def take_forgotten(self) -> None:
        """Paths that are to deliver nothing; files of theirs that stay are left out until they change."""
        for path in sorted(self.asked.forget & self.known.keys()):
            state = FORGOTTEN if path in self.everything else REMOVED
            self.rows[path] = self.known[path].without_records(state, LEFT_OUT)
            self.messages.append(f"{path}: the events that it delivered are removed")
        self.messages += [f"{path}: the lake holds no events of it" for path in self.asked.forget - self.known.keys()]

    def take_back_unfinished(self) -> None:
        """Content that was gone before its ingest ended has never come."""
        gone = [row for path, row in self.known.items() if row.state == UNFINISHED and path not in self.everything]
        self.rows |= {row.path: self._row_before(row) for row in gone}

    def take_new_files(self) -> None:
        """Files that are new, or have other content than before."""
        asked = [path for path in self.listed if path not in self.rows and self._is_asked_for(path)]
        sure = {path for path in asked if self._is_as_good_as_new(self.known.get(path))}
        if self.engine is None:
            self.unread = sure
        untouched = {path for path, row in self.trusted.items() if self.found.is_untouched(row)} - sure | self.unread
        for file in self._inspected(path for path in asked if path not in untouched):
            if file.path in sure or file.content_hash != self.known[file.path].content_hash:
                self._take(file)
            else:
                self._remember(file)
        # Of those in `rows` it is said already what becomes of what they delivered.
        if gone := sorted(self.known.keys() - self.everything - self.rows.keys()):
            first = f"{len(gone)} file(s) are no longer in the landing folder, such as {gone[0]}"
            self.messages.append(f"{first}; their events stay in the lake. To remove them: windrow forget {gone[0]}")
        if not (self.everything or self.known or self.asked.forget):
            none = f"there are no files of {self.stream.name} in {self.lake.config.landing}, so nothing is ingested"
            self.messages.append(f"{none}; copy some there, with names as in docs/streams.md")

    def take_again_what_another_definition_parsed(self) -> None:
        """From bronze; LandingFailed where side inputs that this needs are gone."""
        behind = [
            row
            for path, row in self.known.items()
            if path not in self.rows
            and path not in self.asked.leave_out
            and row.state != UNFINISHED
            and self._is_asked_for(path)
            and (path in (self.asked.again or ()) or not self.definition.covers(row.definition))
        ]
        stays = "its rows stay as an older definition made them, since no table has its lines"
        self.messages += [f"{row.path}: {stays}; put the file back" for row in behind if row.state == LINES_LOST]
        again = [row for row in behind if row.state != LINES_LOST]
        if self.engine:
            self.definition.require_side_inputs_of(row.definition for row in again)
        parsed = {row.path: self.stream.layout(row.layout) for row in again if row.state == ACCEPTED}
        # Bronze may have lines of these where by the definition now a record is several of them.
        cut = {path for path, layout in parsed.items() if layout is None or layout.quoting == ACROSS_LINES}
        for file in self._inspected(path for path in self.listed if path in cut):
            self._take(file)
        self.rows |= {row.path: self._row_again(row) for row in again if row.path not in self.rows}

    def take_what_is_to_be_delivered_once(self) -> None:
        """Content of two paths, as a kill leaves it between giving it to one and taking it from the other; and files
        refused before, whose content no other path delivers any more."""
        # A duplicate stays one by another definition only as long as another path delivers its content.
        rows = {path: row for path, row in self.rows.items() if row.state != DUPLICATE}
        first = deliverers(self.known, rows, {*self.listed})
        others = [row for path, row in self.known.items() if path not in rows and row.content_hash]
        twice = [row for row in others if row.state == ACCEPTED and first[row.content_hash] != row.path]
        refused = [row for row in others if row.state == DUPLICATE]
        self.rows |= {row.path: row for row in twice}
        for file in self._inspected(sorted(row.path for row in refused if first.get(row.content_hash) == row.path)):
            self._take(file)
        if vanished := sorted(row.path for row in refused if row.content_hash not in first):
            gone = "duplicate file(s) have left the landing folder, and no other file has their content"
            self.messages.append(f"{len(vanished)} {gone}, such as {vanished[0]}; put them back to ingest it")

    def changes(self) -> Changes:
        """What was found, without files whose content another path delivers."""
        rows = refuse_duplicates(self.stream, self.rows, self.known)
        before = self.known, self.lake.version(self.tables.bronze.name)
        return Changes(
            self.definition, rows, frozenset(self.landed), *before, self.restored, self.remembered, self.messages
        )

    def _is_asked_for(self, path: str) -> bool:
        if self.asked.again is None and not self.asked.forget:
            return True
        return path in (self.asked.again or ()) or (path in self.known and self.known[path].is_intent)

    def _inspected(self, paths: Iterable[str]) -> list[FileRow]:
        file_bytes = {path: self.found.states[path].file_bytes for path in paths}
        inspected = partial(inspect_share, self.lake.config.landing, self.stream, self.today)
        found = self.engine.share_out(inspected, file_bytes) if self.engine else inspected([*file_bytes])
        self.messages += [str(each) for each in found if isinstance(each, LeftOut)]
        return [each for each in found if isinstance(each, FileRow)]

    def _is_as_good_as_new(self, row: FileRow | None) -> bool:
        """Whether content is taken, even if it is what it was: of a file that was no file of events and now is one,
        after a fix of the definition; of one that was put back, of which no table has the lines; of one cut off."""
        if row is None or row.state == LINES_LOST:
            return True
        was_of_no_events = row.state == NO_EVENTS and belongs(self.stream, row.path)
        return was_of_no_events or (row.is_intent and row.state != FORGOTTEN)

    def _remember(self, file: FileRow) -> None:
        """Size and time of a file that holds what it held."""
        row = self.known[file.path]
        now = replace(row, file_bytes=file.file_bytes, content_bytes=file.content_bytes, modified_ns=file.modified_ns)
        if now != row:
            self.known[row.path] = now
            self.remembered.append(now)

    def _take(self, file: FileRow) -> None:
        known = self.known.get(file.path)
        if known is None and self.asked.left_out.get(file.path) == file.content_hash:
            self.rows[file.path] = file.without_records(FORGOTTEN, LEFT_OUT)
            return
        if known is not None and known.content_hash == file.content_hash:
            file = replace(file, landed_date=known.landed_date)  # of content that was known the day stays
        self.rows[file.path] = file
        self.landed.add(file.path)

    def _row_before(self, unfinished: FileRow) -> FileRow:
        found, gone = unfinished.row_before(), f"{unfinished.path}: the file left before its ingest had ended"
        if found is None:
            self.messages.append(f"{gone}, and counts as never landed")
            return unfinished.without_records(REMOVED, None)
        row, version = found
        if row.state == ACCEPTED and self._bronze_held(row, version):
            self.restored[row.path] = version
        elif row.state in DELIVERS:
            lost = f"version {version} of {self.tables.bronze.name} no longer has its lines. Put the file back"
            self.messages.append(f"{gone}; what it delivered before is lost: {lost}")
            return unfinished.without_records(REMOVED, None)
        self.messages.append(f"{gone}; its earlier content counts again")
        return self._row_again(row)

    def _bronze_held(self, row: FileRow, version: int) -> bool:
        """Whether that version of bronze still has all lines of the row's file. Reads its paths."""
        of_file = pc.field("path") == row.path
        try:
            return self.lake.dataset(self.tables.bronze.name, version).count_rows(filter=of_file) == row.lines
        except GONE:
            return False

    def _row_again(self, row: FileRow) -> FileRow:
        """A row when only the definition changed; its layout is chosen later, from bronze."""
        why = no_events(self.stream, row.path)
        if why is None and not belongs(self.stream, row.path):
            why = "no layout of the stream is for files of that name"
        return row if why is None or row.state == FORGOTTEN else row.without_records(NO_EVENTS, why)
