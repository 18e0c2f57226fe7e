"""Maps of rows: what becomes of the rows of files, batch by batch, wherever an engine has it done."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import pyarrow as pa

from pipelines import storage
from pipelines.location import Location

# As many as keep a task's memory small, and Python's cost of each batch out of sight.
ROWS_PER_BATCH = 5_000


class RowMap(Protocol):
    """What becomes of rows, a batch at a time; it can be pickled. `columns`: those that it reads; `schema`: what comes
    out."""

    @property
    def columns(self) -> Sequence[str]: ...

    @property
    def schema(self) -> pa.Schema: ...

    def chosen(self, rows: pa.RecordBatch) -> pa.RecordBatch:
        """Those rows that it is about."""

    def start(self) -> Callable[[pa.RecordBatch], Iterator[pa.RecordBatch]]:
        """A function for many batches of chosen rows, one after the other."""


def mapped(work: RowMap, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """What becomes of the rows of batches."""
    of_batch = work.start()
    return (found for batch in batches for found in of_batch(work.chosen(batch)))


def batches_of(files: Sequence[str], work: RowMap, most_rows: int = ROWS_PER_BATCH) -> Iterator[pa.RecordBatch]:
    """The rows of Parquet files that are to be mapped, in their order."""
    for path in files:
        with storage.parquet(path) as file:
            yield from storage.batches(file, most_rows, list(work.columns))


class MappedFiles(NamedTuple):
    """Where an engine put mapped rows, for its own relations; `schema`: of the rows."""

    paths: tuple[Location, ...]
    schema: pa.Schema
