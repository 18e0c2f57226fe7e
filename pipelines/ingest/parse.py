"""From lines to parsed records, as Arrow batches; and what lines are parsed by: the stream's definition, and the side
inputs that lie in the landing folder.

One row per record, accepted or refused: silver's columns (null where refused), then `reason`, `detail` and `text`
(null where accepted). Of a file in which more is refused than is kept one row stands for many records, as `records`
says, for each reason and batch; it has no text. So neither memory nor disk grows with what is refused.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.engines.file_rows import RowMap
from windrow.pipelines.ingest.file_content import content_hash
from windrow.pipelines.ingest.files import FileRow
from windrow.pipelines.ingest.landing import Listing
from windrow.pipelines.ingest.lines import lines
from windrow.pipelines.ingest.packings import UnpackedFile
from windrow.pipelines.location import Location
from windrow.pipelines.rows.arrays import ARROW_TYPES, TIME, arrow_schema
from windrow.schemas.erased import ERASED
from windrow.schemas.errors import LandingFailed, UnknownName
from windrow.schemas.layouts import of_file
from windrow.schemas.parsing import has_header, identity_of, matches, read_line
from windrow.schemas.registry import stream_hash
from windrow.schemas.stream import (
    BY_NAME,
    COMMON_REFUSALS,
    KEPT_CHARACTERS,
    KEPT_REFUSALS,
    Layout,
    Place,
    Record,
    Refusal,
    SideInput,
    Stream,
)
from windrow.schemas.tables import bucket_of, silver_table

LINE_COLUMNS = ("path", "line", "text", "damage")
UNKNOWN_LAYOUT = "unknown layout"
OUTCOME = (("reason", pa.string()), ("detail", pa.string()), ("text", pa.string()), ("records", pa.int64()))
# A line may hold many.
RECORDS_AT_ONCE = 50_000
_Values = tuple[int | None, int | None, int | None, tuple]  # a Record, or what a refusal has of one
# Row, number, record, identity, reason, detail, text, records.
_Parsed = tuple[int, int, _Values, str | None, str | None, str | None, str | None, int]


@dataclass(frozen=True)
class Definition:
    """hash: of the stream's definition and of its side inputs' bytes, where there are any; files: by side input."""

    hash: str
    files: dict[str, list[str]]

    def covers(self, hash_before: str) -> bool:
        """Whether what another hash parsed need not be again. A side input that is gone leaves what it gave."""
        return hash_before == self.hash or (not self.files and hash_before.startswith(f"{self.hash}-"))

    def require_side_inputs_of(self, hashes_before: Iterable[str]) -> None:
        """LandingFailed where files must be parsed again that were parsed with side inputs, and these are gone."""
        lacking = sum("-" in each for each in hashes_before)
        if lacking and not self.files:
            raise LandingFailed(
                f"{lacking} file(s) must be parsed again, and were parsed with side inputs that are no "
                "longer in the landing folder; put those back (docs/streams/ names them)"
            )


def definition_now(root: Location, stream: Stream, listed: Listing, known: Mapping[str, FileRow]) -> Definition:
    """The definition at this moment. `root`: landing folder. Reads the content of side inputs that are not as known."""
    found = {
        side.name: [path for path in listed.paths if any(matches(each, path) for each in side.paths)]
        for side in stream.side_inputs
    }
    files = {name: paths for name, paths in found.items() if paths}
    if not files:
        return Definition(stream_hash(stream.name), {})
    digest = hashlib.sha256()
    for name, paths in files.items():
        for path in paths:
            row = known.get(path)
            now = row.content_hash if row and listed.is_untouched(row) else content_hash(root, path)
            digest.update(f"{name}\0{path}\0{now}\0".encode())
    return Definition(f"{stream_hash(stream.name)}-{digest.hexdigest()[:8]}", files)


def read_side_inputs(root: Location, stream: Stream, definition: Definition) -> dict[str, object]:
    """What the stream's side inputs hold, by name. LandingFailed for one that can't be read."""
    return {
        side.name: _read_side_input(root, side, definition.files[side.name])
        for side in stream.side_inputs
        if side.name in definition.files
    }


def _read_side_input(root: Location, side: SideInput, paths: list[str]) -> object:
    try:
        return side.read(text for path in paths for text in _texts(root / path))
    except (OSError, ValueError) as error:
        raise LandingFailed(
            f"side input {side.name!r}, {', '.join(paths)}, can't be read ({error}); repair it, or "
            "take it out of the landing folder"
        ) from error


def _texts(place: Location) -> Iterator[str]:
    for part in lines(UnpackedFile(place)):
        damage = next(filter(None, part.damage or ()), None)
        if damage:
            raise ValueError(f"a line is damaged: {damage}")
        yield from part.texts


@dataclass(frozen=True)
class ParseRules:
    """What lines are parsed by. definition: the hash that their records carry; layouts: the layout's name by path;
    side_inputs: what the stream's side inputs hold, by name; headers: first lines of files whose columns go by name;
    unknown: why a file has no layout."""

    stream: Stream
    definition: str
    layouts: Mapping[str, str | None]
    side_inputs: Mapping[str, object]
    headers: dict[str, str] = field(default_factory=dict)
    unknown: Mapping[str, str | None] = field(default_factory=dict)

    def line_by_line(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of the files whose lines are parsed one after the other."""
        names = {layout.name for layout in self.stream.layouts if layout.line_by_line}
        return tuple(path for path in paths if self.layouts.get(path) in names)

    def layout(self, path: str) -> Layout | None:
        """The layout of a file; None where its first line is none of the stream's."""
        if path not in self.layouts:
            raise UnknownName("layout for the file", path, list(self.layouts))
        layout = self.stream.layout(self.layouts[path])
        return of_file(layout, self.headers[path]) if layout and self.by_name(path) else layout

    def start(self) -> Callable[[pa.RecordBatch], Iterator[pa.RecordBatch]]:
        """What parses many batches of lines, one after the other."""
        return Parser(self).parse

    def by_name(self, path: str) -> bool:
        layout = self.stream.layout(self.layouts[path])
        return layout is not None and layout.columns == BY_NAME


def parsed_schema(stream: Stream) -> pa.Schema:
    """Of parsed records."""
    fields = arrow_schema(silver_table(stream))
    return pa.schema([*((field.name, field.type) for field in fields), *OUTCOME])


def parse_lines(rules: ParseRules, paths: tuple[str, ...] | None = None) -> RowMap:
    """Lines of bronze, mapped to parsed records by an engine; of these files, by default of all."""
    return RowMap(LINE_COLUMNS, parsed_schema(rules.stream), rules.start, paths)


class Parser:
    """Parses lines of one stream; of a file that is read in order all of them, from the first on."""

    def __init__(self, rules: ParseRules):
        self.rules, self.stream = rules, rules.stream
        self.schema = parsed_schema(self.stream)
        self.layouts: dict[str, Layout | None] = {}  # by path
        # Kept: a stream has far fewer keys than events.
        self.bucket_of = cache(partial(bucket_of, buckets=self.stream.buckets))
        self.no_values = (None,) * len(self.stream.columns)
        self.path, self.kept = "", 0  # the file whose lines are parsed, and how many of its refusals are kept
        self.before: Record | None = None  # its last record
        self.rest: dict[tuple[str, str], _Parsed] = {}  # refusals of a batch that are only counted, by path and reason

    def parse(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """The records of lines, given as LINE_COLUMNS, some at a time: O(bytes)."""
        parsed: list[_Parsed] = []
        for row, line in enumerate(zip(*(column.to_pylist() for column in batch.columns), strict=True)):
            self._parse_line(parsed, row, *line)
            if len(parsed) >= RECORDS_AT_ONCE:
                yield self._batch(batch, parsed)
                parsed = []
        parsed += self.rest.values()
        self.rest = {}
        if parsed:
            yield self._batch(batch, parsed)

    def _parse_line(self, parsed: list[_Parsed], row: int, path: str, line: int, text: str, damage: str | None) -> None:
        if path not in self.layouts:
            self.layouts[path] = self.rules.layout(path)
        if path != self.path:
            self.path, self.kept, self.before = path, 0, None
        layout = self.layouts[path]
        place = Place(path, line, self.rules.side_inputs, self.before)
        for number, found in enumerate(self._read(layout, place, text, damage)):
            if isinstance(found, Refusal):
                self._refuse(parsed, row, number, found, text)
            elif layout is not None:
                if layout.line_by_line:
                    self.before = found
                identity = identity_of(self.stream, layout, text, found, number)
                parsed.append((row, number, found, identity, None, None, None, 1))

    def _refuse(self, parsed: list[_Parsed], row: int, number: int, refusal: Refusal, text: str) -> None:
        """Of a file's first refusals all is kept that says what they are, of the others how many there are."""
        reason, counted = refusal.reason, self.rest.get((self.path, refusal.reason))
        if self.kept < KEPT_REFUSALS:
            self.kept += 1
            record = (None, None, refusal.arrival_us, self.no_values)
            detail = refusal.detail[:KEPT_CHARACTERS]
            parsed.append((row, number, record, None, reason, detail, text[:KEPT_CHARACTERS], 1))
        elif counted is None:
            self.rest[self.path, reason] = row, number, (None, None, None, self.no_values), None, reason, None, None, 1
        else:
            self.rest[self.path, reason] = (*counted[:-1], counted[-1] + 1)

    def _read(self, layout: Layout | None, place: Place, text: str, damage: str | None) -> list[Record | Refusal]:
        if layout is None:
            return [Refusal(UNKNOWN_LAYOUT, self.rules.unknown.get(place.path) or COMMON_REFUSALS[UNKNOWN_LAYOUT])]
        if damage == ERASED or (place.line == 1 and has_header(layout)):
            return []
        return [Refusal(damage, COMMON_REFUSALS[damage])] if damage else read_line(self.stream, layout, text, place)

    def _batch(self, batch: pa.RecordBatch, parsed: list[_Parsed]) -> pa.RecordBatch:
        # Turned from rows to columns at once, and copied where a line's columns are at hand: building a row of
        # every column for each record took a fifth of the time.
        rows, numbers, records, identities, reasons, details, texts, counts = zip(*parsed, strict=True)
        starts, ends, arrivals, values = zip(*records, strict=True)
        columns = list(zip(*values, strict=True))
        keys = zip(*(columns[self.stream.positions[name]] for name in self.stream.key), strict=True)
        places = batch.select(["path", "line"]).take(pa.array(rows))
        reason, arrival = pa.array(reasons, pa.string()), _array(arrivals, TIME)
        none, accepted = pa.scalar(None), reason.is_null()
        made = [
            *map(_array, columns, self.schema.types),
            _array(starts, TIME), _array(ends, TIME), arrival, places["path"], places["line"],
            pa.array(numbers, pa.int64()), pa.array(identities, pa.string()),
            pa.repeat(pa.scalar(self.rules.definition), len(parsed)),
            pc.if_else(accepted, arrival.cast(ARROW_TYPES["date"], safe=False), none),
            pc.if_else(accepted, pa.array(map(self.bucket_of, keys), pa.int64()), none),
            reason, pa.array(details, pa.string()), pa.array(texts, pa.string()), pa.array(counts)]  # fmt: skip
        return pa.RecordBatch.from_arrays(made, schema=self.schema)


def _array(column: tuple, type_: pa.DataType) -> pa.Array:
    # Times and days are plain numbers here; building them as Python datetimes costs twenty times as much.
    if type_ == TIME:
        return pa.array(column, pa.int64()).cast(type_)
    return pa.array(column, pa.int32()).cast(type_) if type_ == ARROW_TYPES["date"] else pa.array(column, type_)
