"""Rows of Parquet files in memory."""

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from pipelines import storage
from pipelines.engines.engine import RowsOfFiles
from pipelines.engines.ranges import filter_of
from pipelines.rows.arrays import TIME


def read_rows(rows: RowsOfFiles) -> pa.Table:
    """O(rows of the row groups that may hold some). With one thread: an engine gives each task one core."""
    format_ = ds.ParquetFileFormat(read_options=ds.ParquetReadOptions(coerce_int96_timestamp_unit="us"))
    found = _dataset(rows.files, format=format_, schema=_with_filtered(rows))
    since = [ds.field(column) >= pa.scalar(us, TIME) for column, us in rows.since_us.items()]
    within = (filter_of(column, found.schema.field(column).type, each) for column, each in rows.within.items())
    asked = [*([reduce(or_, since)] if since else []), *within]
    return found.to_table(rows.schema.names, filter=reduce(and_, asked) if asked else None, use_threads=False)


def _with_filtered(rows: RowsOfFiles) -> pa.Schema:
    """The columns that are read, and those that are only asked for."""
    lacking = [name for name in rows.within if name not in rows.schema.names]
    if not lacking:
        return rows.schema
    stored = _dataset(rows.files[:1]).schema
    return pa.schema([*rows.schema, *(stored.field(name) for name in lacking)])


def _dataset(files: Sequence[str], **how: Any) -> ds.Dataset:
    """Of files that lie in one file system."""
    found = [storage.arrow_files(file) for file in files]
    return ds.dataset([path for _, path in found], filesystem=found[0][0], **how)
