"""From lines to parsed records, as Arrow batches.

One row per record, accepted or refused: silver's columns (null where refused), then `reason`, `detail` and `text`
(null where accepted).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.lake.arrays import TIME
from pipelines.lake.arrow_schemas import ARROW_TYPES, arrow_schema
from schemas.buckets import bucket_of
from schemas.errors import UnknownName
from schemas.parsing import has_header, identity_of, read_line
from schemas.stream import COMMON_REFUSALS, Layout, Place, Record, Refusal, Stream
from schemas.tables import silver_table

LINE_COLUMNS = ("path", "line", "text", "damage")
UNKNOWN_LAYOUT = Refusal("unknown layout", "the file's first line is no header of the stream, or is damaged")
OUTCOME = ("reason", "detail", "text")
_Values = tuple[int | None, int | None, int | None, tuple]  # a Record, or what a refusal has of one
_Parsed = tuple[int, int, _Values, str | None, str | None, str | None]  # row, number, record, identity, reason, detail


@dataclass(frozen=True)
class ParseRules:
    """What lines are parsed by. definition: the hash that their records carry; layouts: the layout's name by path;
    side_inputs: what the stream's side inputs hold, by name."""

    stream: Stream
    definition: str
    layouts: Mapping[str, str | None]
    side_inputs: Mapping[str, object]

    def in_order(self, paths: Iterable[str]) -> tuple[str, ...]:
        """Those of the files whose lines are parsed one after the other."""
        names = {layout.name for layout in self.stream.layouts if layout.in_order}
        return tuple(path for path in paths if self.layouts.get(path) in names)

    def layout(self, path: str) -> Layout | None:
        """The layout of a file; None where its first line is none of the stream's."""
        if path not in self.layouts:
            raise UnknownName("layout for the file", path, list(self.layouts))
        return next((each for each in self.stream.layouts if each.name == self.layouts[path]), None)


def parsed_schema(stream: Stream) -> pa.Schema:
    """Of parsed records."""
    fields = arrow_schema(silver_table(stream))
    return pa.schema(
        [*(pa.field(field.name, field.type) for field in fields), *(pa.field(name, pa.string()) for name in OUTCOME)]
    )


@dataclass(frozen=True)
class ParseLines:
    """Lines of bronze, mapped to parsed records by an engine; of these files, by default of all."""

    rules: ParseRules
    paths: tuple[str, ...] | None
    columns = LINE_COLUMNS

    @property
    def schema(self) -> pa.Schema:
        """Of parsed records."""
        return parsed_schema(self.rules.stream)

    def chosen(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Lines of the files."""
        if self.paths is None:
            return rows
        return rows.filter(pc.is_in(rows["path"], pa.array(self.paths, pa.string())))

    def start(self) -> Callable[[pa.RecordBatch], pa.RecordBatch]:
        """A parser."""
        return Parser(self.rules).parse


class Parser:
    """Parses lines of one stream; of a file that is read in order all of them, from the first on."""

    def __init__(self, rules: ParseRules):
        self.rules, self.stream = rules, rules.stream
        self.schema = parsed_schema(self.stream)
        self.layouts: dict[str, Layout | None] = {}  # by path
        self.before: dict[str, Record] = {}  # the last record of the file that is being read in order
        self.buckets = _Buckets(self.stream.buckets)
        self.no_values = (None,) * len(self.stream.columns)

    def parse(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The records of lines, given as LINE_COLUMNS: O(bytes)."""
        parsed: list[_Parsed] = []
        for row, line in enumerate(zip(*(column.to_pylist() for column in batch.columns), strict=True)):
            self._parse_line(parsed, row, *line)
        if not parsed:
            return pa.RecordBatch.from_pylist([], self.schema)
        return pa.RecordBatch.from_arrays(self._columns(batch, parsed), schema=self.schema)

    def _parse_line(self, parsed: list[_Parsed], row: int, path: str, line: int, text: str, damage: str | None) -> None:
        if path not in self.layouts:
            self.layouts[path] = self.rules.layout(path)
        layout = self.layouts[path]
        if layout is None:
            parsed.append(self._refused(row, 0, UNKNOWN_LAYOUT))
            return
        place = Place(path, line, self.rules.side_inputs, self.before.get(path))
        for number, found in enumerate(self._read(layout, place, text, damage)):
            if isinstance(found, Record):
                if layout.in_order:
                    self.before = {path: found}
                parsed.append((row, number, found, identity_of(self.stream, layout, text, found, number), None, None))
            else:
                parsed.append(self._refused(row, number, found))

    def _refused(self, row: int, number: int, refusal: Refusal) -> _Parsed:
        nothing = (None, None, refusal.arrival_us, self.no_values)
        return row, number, nothing, None, refusal.reason, refusal.detail

    def _read(self, layout: Layout, place: Place, text: str, damage: str | None) -> list[Record | Refusal]:
        if place.line == 1 and has_header(layout):
            return []
        return [Refusal(damage, COMMON_REFUSALS[damage])] if damage else read_line(self.stream, layout, text, place)

    def _columns(self, batch: pa.RecordBatch, parsed: list[_Parsed]) -> list[pa.Array]:
        # Turned from rows to columns at once, and copied where a line's columns are at hand: building a row of
        # every column for each record took a fifth of the time.
        rows, numbers, records, identities, reasons, details = zip(*parsed, strict=True)
        starts, ends, arrivals, values = zip(*records, strict=True)
        columns = list(zip(*values, strict=True))
        keys = zip(*(columns[self.stream.positions[name]] for name in self.stream.key), strict=True)
        lines, reason, arrival = batch.take(pa.array(rows)), pa.array(reasons, pa.string()), _array(arrivals, TIME)
        none, accepted = pa.scalar(None), reason.is_null()
        return [
            *map(_array, columns, self.schema.types),
            _array(starts, TIME), _array(ends, TIME), arrival, lines["path"], lines["line"],
            pa.array(numbers, pa.int64()), pa.array(identities, pa.string()),
            pa.repeat(pa.scalar(self.rules.definition), len(parsed)),
            pc.if_else(accepted, arrival.cast(ARROW_TYPES["date"], safe=False), none),
            pc.if_else(accepted, pa.array(map(self.buckets.__getitem__, keys), pa.int64()), none),
            reason, pa.array(details, pa.string()), pc.if_else(accepted, none, lines["text"])]  # fmt: skip


class _Buckets(dict):
    """A key's bucket, kept: a stream has far fewer keys than events."""

    def __init__(self, buckets: int):
        super().__init__()
        self.buckets = buckets

    def __missing__(self, key: tuple) -> int:
        self[key] = bucket_of(key, self.buckets)
        return self[key]


def _array(column: tuple, type_: pa.DataType) -> pa.Array:
    # Times and days are plain numbers here; building them as Python datetimes costs twenty times as much.
    if type_ == TIME:
        return pa.array(column, pa.int64()).cast(type_)
    return pa.array(column, pa.int32()).cast(type_) if type_ == ARROW_TYPES["date"] else pa.array(column, type_)
