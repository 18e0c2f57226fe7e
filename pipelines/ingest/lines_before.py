"""Lines of a file in an older version of bronze: what it delivered before content came that was gone too soon.

A Delta table keeps what a commit replaced until somebody vacuums it.
"""

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
from deltalake.exceptions import DeltaError

from pipelines.delta.lake import Lake
from pipelines.ingest.files import FileRow
from schemas.errors import NotSetUp
from schemas.tables import Table

GONE = (DeltaError, NotSetUp, OSError, pa.ArrowInvalid)  # the version, its table or its Parquet files


def holds_lines(lake: Lake, bronze: Table, version: int, row: FileRow) -> bool:
    """Whether that version of bronze still has all lines of the row's file. Reads its paths."""
    try:
        return lake.dataset(bronze.name, version).count_rows(filter=pc.field("path") == row.path) == row.lines
    except GONE:
        return False


def lines_before(lake: Lake, bronze: Table, version: int, path: str) -> Iterator[pa.RecordBatch]:
    """The file's lines in that version of bronze, which is opened at once: within a commit delta-rs opens no table."""
    return iter(lake.dataset(bronze.name, version).to_batches(filter=pc.field("path") == path))
