"""Rows of Parquet files in memory."""

from functools import reduce
from operator import or_

import pyarrow as pa
import pyarrow.dataset as ds

from pipelines.lake.arrays import TIME
from pipelines.lake.engine import RowsOfFiles


def read_rows(rows: RowsOfFiles) -> pa.Table:
    """O(rows of the files). With one thread: an engine gives each task one core."""
    format_ = ds.ParquetFileFormat(read_options=ds.ParquetReadOptions(coerce_int96_timestamp_unit="us"))
    wanted = reduce(or_, (ds.field(column) >= pa.scalar(us, TIME) for column, us in rows.since_us.items()))
    return ds.dataset(list(rows.files), rows.schema, format_).to_table(filter=wanted, use_threads=False)
