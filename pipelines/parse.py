"""From lines to judged readings, as Arrow batches: what runs inside Spark's `mapInArrow`.

One row per reading, accepted or refused: silver's columns (null where refused), then `reason`, `detail` and `text`
(null where accepted). The bucket of a key is computed here and nowhere else.
"""

import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa

from pipelines.lake import ARROW_TYPES, arrow_schema
from schemas.errors import UnknownName
from schemas.reading import has_header, identity_of, read_line
from schemas.stream import COMMON_REFUSALS, Layout, Place, Reading, Refusal, Stream
from schemas.tables import silver_table

Batches = Iterator[pa.RecordBatch]
US_PER_DAY = 86_400_000_000
JUDGEMENT = ("reason", "detail", "text")
SPARK_TYPES = {"string": "string", "int64": "long", "float64": "double", "bool": "boolean", "timestamp": "timestamp",
               "date": "date"}


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


def spark_schema(stream: Stream) -> str:
    """The rows' schema, in Spark's words."""
    columns = [(column.name, SPARK_TYPES[column.type]) for column in silver_table(stream).columns]
    return ", ".join(f"`{name}` {type_}" for name, type_ in (*columns, *((name, "string") for name in JUDGEMENT)))


def parser(judging: Judging) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow` over (path, line, text, damage)."""
    def parse(batches: Batches) -> Batches:
        rows = _Rows(judging)
        for batch in batches:
            yield rows.judge(batch)

    return parse


class _Rows:
    """Judges lines of one stream and gathers the readings in columns, since Arrow takes columns."""

    def __init__(self, judging: Judging):
        self.judging, self.stream = judging, judging.stream
        stream = judging.stream
        self.layouts: dict[str, Layout | None] = {}  # by path
        self.key = tuple(stream.positions[name] for name in stream.key)
        # Buckets by key: a stream has far fewer keys than events.
        self.buckets: dict[tuple, int] = {}
        fields = arrow_schema(silver_table(stream))
        self.schema = pa.schema([*(pa.field(field.name, field.type) for field in fields),
                                 *(pa.field(name, pa.string()) for name in JUDGEMENT)])

    def judge(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        rows: list[tuple] = []
        for path, line, text, damage in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            self._judge_line(rows, Place(path, line, self.judging.beside), text, damage)
        columns = zip(*rows, strict=True) if rows else ((),) * len(self.schema)
        arrays = [_array(column, field.type) for column, field in zip(columns, self.schema, strict=True)]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _judge_line(self, rows: list[tuple], place: Place, text: str, damage: str | None) -> None:
        path, line, _ = place
        if path not in self.layouts:
            self.layouts[path] = self.judging.layout(path)
        layout = self.layouts[path]
        for number, said in enumerate(self._read(layout, place, text, damage)):
            if isinstance(said, Reading):
                identity = identity_of(self.stream, layout, text, said, number)
                rows.append(self._accepted(said, (path, line, number, identity)))
            else:
                rows.append(self._refused(said, (path, line, number, None), text))

    def _read(self, layout: Layout | None, place: Place, text: str, damage: str | None) -> list[Reading | Refusal]:
        if layout is None:
            return [Refusal("unknown layout", "the file's first line is no header of the stream, or is damaged")]
        if place.line == 1 and has_header(layout):
            return []
        return [Refusal(damage, COMMON_REFUSALS[damage])] if damage else read_line(self.stream, layout, text, place)

    def _accepted(self, reading: Reading, place: tuple) -> tuple:
        key = tuple([reading.values[position] for position in self.key])
        bucket = self.buckets.get(key)
        if bucket is None:
            bucket = self.buckets[key] = bucket_of(key, self.stream.buckets)
        return (*reading.values, reading.start_us, reading.end_us, reading.arrival_us, *place, self.judging.definition,
                reading.arrival_us // US_PER_DAY, bucket, None, None, None)

    def _refused(self, refusal: Refusal, place: tuple, text: str) -> tuple:
        values = (None,) * len(self.stream.columns)
        return (*values, None, None, refusal.arrival_us, *place, self.judging.definition, None, None, refusal.reason,
                refusal.detail, text)


def _array(column: tuple, type_: pa.DataType) -> pa.Array:
    # Times and days are plain numbers here; building them as Python datetimes costs twenty times as much.
    if type_ == ARROW_TYPES["timestamp"]:
        return pa.array(column, pa.int64()).cast(type_)
    return pa.array(column, pa.int32()).cast(type_) if type_ == ARROW_TYPES["date"] else pa.array(column, type_)
