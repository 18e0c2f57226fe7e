"""From lines to judged readings, as Arrow batches.

One row per reading, accepted or refused: silver's columns (null where refused), then `reason`, `detail` and `text`
(null where accepted). The bucket of a key is computed here and nowhere else.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.arrays import TIME
from pipelines.arrow_schemas import ARROW_TYPES, arrow_schema
from schemas.errors import UnknownName
from schemas.reading import has_header, identity_of, read_line
from schemas.stream import COMMON_REFUSALS, Layout, Place, Reading, Refusal, Stream
from schemas.tables import silver_table

LINE_COLUMNS = ("path", "line", "text", "damage")
JUDGEMENT = ("reason", "detail", "text")
_Judged = tuple[int, int, Reading, str | None, str | None, str | None]  # row, number, reading, identity, reason, detail


@dataclass(frozen=True)
class Judging:
    """What lines are judged by. definition: the hash that their readings carry; layouts: the layout's name by path;
    beside: what the stream's side inputs hold, by name."""

    stream: Stream
    definition: str
    layouts: Mapping[str, str | None]
    beside: Mapping[str, object]

    def layout(self, path: str) -> Layout | None:
        """The layout of a file; None where its first line is none of the stream's."""
        if path not in self.layouts:
            raise UnknownName("layout for the file", path, list(self.layouts))
        return next((each for each in self.stream.layouts if each.name == self.layouts[path]), None)


def bucket_of(key: tuple, buckets: int) -> int:
    """Which bucket of silver holds a key: CRC-32 of its values' texts, joined by U+001F, modulo the buckets."""
    return zlib.crc32("\x1f".join(["" if value is None else str(value) for value in key]).encode()) % buckets


def judged_schema(stream: Stream) -> pa.Schema:
    """Of judged readings."""
    fields = arrow_schema(silver_table(stream))
    return pa.schema([*(pa.field(field.name, field.type) for field in fields),
                      *(pa.field(name, pa.string()) for name in JUDGEMENT)])


class Judge:
    """Judges lines of one stream."""

    def __init__(self, judging: Judging):
        self.judging, self.stream = judging, judging.stream
        self.schema = judged_schema(self.stream)
        self.layouts: dict[str, Layout | None] = {}  # by path
        self.buckets = _Buckets(self.stream.buckets)
        self.no_values = (None,) * len(self.stream.columns)

    def judge(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The readings of lines, given as LINE_COLUMNS: O(bytes)."""
        judged: list[_Judged] = []
        for row, line in enumerate(zip(*(column.to_pylist() for column in batch.columns), strict=True)):
            self._judge_line(judged, row, *line)
        if not judged:
            return pa.RecordBatch.from_pylist([], self.schema)
        return pa.RecordBatch.from_arrays(self._columns(batch, judged), schema=self.schema)

    def _judge_line(self, judged: list[_Judged], row: int, path: str, line: int, text: str, damage: str | None) -> None:
        if path not in self.layouts:
            self.layouts[path] = self.judging.layout(path)
        layout = self.layouts[path]
        for number, said in enumerate(self._read(layout, Place(path, line, self.judging.beside), text, damage)):
            if isinstance(said, Reading):
                judged.append((row, number, said, identity_of(self.stream, layout, text, said, number), None, None))
            else:
                nothing = Reading(None, None, said.arrival_us, self.no_values)
                judged.append((row, number, nothing, None, said.reason, said.detail))

    def _read(self, layout: Layout | None, place: Place, text: str, damage: str | None) -> list[Reading | Refusal]:
        if layout is None:
            return [Refusal("unknown layout", "the file's first line is no header of the stream, or is damaged")]
        if place.line == 1 and has_header(layout):
            return []
        return [Refusal(damage, COMMON_REFUSALS[damage])] if damage else read_line(self.stream, layout, text, place)

    def _columns(self, batch: pa.RecordBatch, judged: list[_Judged]) -> list[pa.Array]:
        # Turned from rows to columns at once, and copied where a line's columns are at hand: building a row of
        # every column for each reading took a fifth of the time.
        rows, numbers, readings, identities, reasons, details = zip(*judged, strict=True)
        starts, ends, arrivals, values = zip(*readings, strict=True)
        values = list(zip(*values, strict=True))
        keys = zip(*(values[self.stream.positions[name]] for name in self.stream.key), strict=True)
        lines, reason, arrival = batch.take(pa.array(rows)), pa.array(reasons, pa.string()), _array(arrivals, TIME)
        none, accepted = pa.scalar(None), reason.is_null()
        return [
            *map(_array, values, self.schema.types),
            _array(starts, TIME), _array(ends, TIME), arrival, lines["path"], lines["line"],
            pa.array(numbers, pa.int64()), pa.array(identities, pa.string()),
            pa.repeat(pa.scalar(self.judging.definition), len(judged)),
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
