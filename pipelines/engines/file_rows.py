"""Rows of files: which of them a task reads, by ranges of a column's values and by panes, stretches of time that are
each a task's; and what becomes of them, batch by batch, wherever an engine has that done."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import and_, or_
from types import MappingProxyType
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from pipelines import storage
from pipelines.rows.arrays import TIME

# As many as keep a task's memory small, and Python's cost of each batch out of sight.
ROWS_PER_BATCH = 5_000


class Range(NamedTuple):
    """Values from `low` on, or behind it where that is left out, up to before `high`; None: no bound on that side.
    `nulls`: whether rows without a value are in it. `only`: one value, and no bounds; `only_nulls`: no value."""

    low: Any = None
    high: Any = None
    without_low: bool = False
    nulls: bool = True
    only: object = None
    only_nulls: bool = False

    def widened(self, before: int, after: int) -> "Range":
        """Of numbers: from so much earlier to so much later."""
        return Range(None if self.low is None else self.low - before, None if self.high is None else self.high + after)

    @property
    def is_of_one(self) -> bool:
        """Whether all its rows have the same value, or none."""
        return self.only_nulls or self.only is not None

    @property
    def is_everything(self) -> bool:
        """Whether it leaves out nothing."""
        return self == EVERYTHING


EVERYTHING = Range()


class Panes(NamedTuple):
    """As many stretches of `start` as asked for, of one length, from `from_us` on, in µs; the first and the last are
    open. Halo: how long before and after its pane a row still belongs to it.

          ◂── pane 0 ──▸│◂── 1 ──▸│◂── 2 ──▸
                    ▒▒▒▒│         │▒▒            the halo of pane 1
    """

    from_us: int = 0
    length_us: int = 1
    total: int = 1
    halo_us: tuple[int, int] = (0, 0)

    def pane(self, number: int) -> Range:
        """Without halo."""
        low, high = self.from_us + number * self.length_us, self.from_us + (number + 1) * self.length_us
        return Range(low if number else None, high if number + 1 < self.total else None)


def filter_of(column: str, type_: pa.DataType, wanted: Range) -> pc.Expression:
    """Whether a row's value is in the range."""
    field = pc.field(column)
    if wanted.only_nulls:
        return field.is_null()
    if wanted.only is not None:
        return field == pa.scalar(wanted.only, type_)
    inside = field.is_valid()
    if wanted.low is not None:
        low = pa.scalar(wanted.low, type_)
        inside &= field > low if wanted.without_low else field >= low
    if wanted.high is not None:
        inside &= field < pa.scalar(wanted.high, type_)
    return inside | field.is_null() if wanted.nulls else inside


class RowsOfFiles(NamedTuple):
    """Rows of Parquet files, in columns of this schema, null where a file lacks one; of those only rows of which one of
    these columns, if any are named, has a time from so many µs since the epoch on, and all of those have a value in
    their range."""

    files: Sequence[str]
    schema: pa.Schema
    since_us: Mapping[str, int]
    within: Mapping[str, Range] = MappingProxyType({})


def read_rows(rows: RowsOfFiles) -> pa.Table:
    """O(rows of the row groups that may hold some). With one thread: an engine gives each task one core."""
    format_ = ds.ParquetFileFormat(read_options=ds.ParquetReadOptions(coerce_int96_timestamp_unit="us"))
    files = [storage.arrow_files(file) for file in rows.files]  # of one file system
    found = ds.dataset([path for _, path in files], rows.schema, format_, filesystem=files[0][0])
    since = [ds.field(column) >= pa.scalar(us, TIME) for column, us in rows.since_us.items()]
    within = (filter_of(column, found.schema.field(column).type, each) for column, each in rows.within.items())
    asked = [*([reduce(or_, since)] if since else []), *within]
    return found.to_table(filter=reduce(and_, asked) if asked else None, use_threads=False)


class RowMap(NamedTuple):
    """What becomes of the rows of landed files, a batch at a time; it can be pickled. columns: those that it reads;
    schema: what comes out; start: makes a function for many batches, one after the other; paths: of which files, by
    default all."""

    columns: Sequence[str]
    schema: pa.Schema
    start: Callable[[], Callable[[pa.RecordBatch], Iterator[pa.RecordBatch]]]
    paths: tuple[str, ...] | None = None

    def chosen(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Those rows that it is about."""
        if self.paths is None:
            return rows
        return rows.filter(pc.is_in(rows["path"], pa.array(self.paths, pa.string())))


def mapped(work: RowMap, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What becomes of the rows of batches."""
    of_batch = work.start()
    return (found for batch in batches for found in of_batch(work.chosen(batch)))


def batches_of(files: Sequence[str], work: RowMap, most_rows: int = ROWS_PER_BATCH) -> Iterator[pa.RecordBatch]:
    """The rows of Parquet files that are to be mapped, in their order."""
    for path in files:
        with storage.parquet(path) as file:
            yield from storage.batches(file, most_rows, list(work.columns))
