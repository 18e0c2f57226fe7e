"""A table's rows as a dataset that knows partitions only: for reading few columns, or few days, of many files.

deltalake's own dataset puts the statistics of every column of every file into expressions, in Python: of 400 files that
took a second or more each time, whatever was read then. An ingest made five of them.
"""

from collections.abc import Iterable
from datetime import date
from functools import reduce
from operator import and_

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.fs

from pipelines.lake.lake import Lake
from schemas.tables import Table


def dataset_of_days(lake: Lake, table: Table, days: Iterable[date] | None = None) -> pyarrow.dataset.Dataset:
    """The table's newest version; only arrival days among `days`, if given. O(files of the table)."""
    actions = lake.add_actions(table.name)
    if days is not None:
        of_day = actions["partition.arrival_date"].cast(pa.date32())
        actions = actions.filter(pc.is_in(of_day, value_set=pa.array(list(days), pa.date32())))
    schema, files = lake.schema(table), pyarrow.dataset.ParquetFileFormat()
    place = pyarrow.fs.SubTreeFileSystem(str(lake.folder(table.name)), pyarrow.fs.LocalFileSystem())
    fragments = [
        files.make_fragment(row.pop("path"), place, _partition(row, schema))
        for row in actions.select(["path", *(f"partition.{name}" for name in table.partition_by)]).to_pylist()
    ]
    return pyarrow.dataset.FileSystemDataset(fragments, schema, files, place)


def _partition(values: dict, schema: pa.Schema) -> pc.Expression | None:
    """What all rows of a file have in its partition columns."""
    named = {column.removeprefix("partition."): value for column, value in values.items()}
    equal = [pc.field(name) == pa.scalar(value).cast(schema.field(name).type) for name, value in named.items()]
    return reduce(and_, equal) if equal else None
