"""Rows of files: which of them a task reads, by a condition and by panes, stretches of time that are each a task's; and
what becomes of them, batch by batch, wherever an engine has that done."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from windrow.pipelines import storage
from windrow.pipelines.rows.arrays import TIME

# As many as keep a task's memory small, and Python's cost of each batch out of sight.
ROWS_PER_BATCH = 5_000


class Range(NamedTuple):
    """Times from `low` on up to before `high`, in µs since the epoch; None: no bound on that side."""

    low: int | None = None
    high: int | None = None

    def widened(self, before_us: int, after_us: int) -> "Range":
        """From so much earlier to so much later."""
        low, high = self
        return Range(None if low is None else low - before_us, None if high is None else high + after_us)

    @property
    def starts(self) -> pc.Expression:
        """Whether a row starts in it."""
        inside = EVERY_ROW
        if self.low is not None:
            inside &= pc.field("start") >= pa.scalar(self.low, TIME)
        if self.high is not None:
            inside &= pc.field("start") < pa.scalar(self.high, TIME)
        return inside


ALL_TIME, EVERY_ROW = Range(), pc.scalar(True)


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


class RowsOfFiles(NamedTuple):
    """Rows of Parquet files, in columns of this schema, null where a file lacks one; of those only rows of which one of
    these columns, if any are named, has a time from so many µs since the epoch on, and that keep the condition."""

    files: Sequence[str]
    schema: pa.Schema
    since_us: Mapping[str, int]
    within: pc.Expression = EVERY_ROW


def read_rows(rows: RowsOfFiles) -> pa.Table:
    """O(rows of the row groups that may hold some). With one thread: an engine gives each task one core."""
    format_ = ds.ParquetFileFormat(read_options=ds.ParquetReadOptions(coerce_int96_timestamp_unit="us"))
    files = [storage.arrow_files(file) for file in rows.files]  # of one file system
    found = ds.dataset([path for _, path in files], rows.schema, format_, filesystem=files[0][0])
    since = [ds.field(column) >= pa.scalar(us, TIME) for column, us in rows.since_us.items()]
    return found.to_table(filter=reduce(or_, since or [EVERY_ROW]) & rows.within, use_threads=False)


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
