"""Relations of the Spark engine: temporary views, and rows that its tasks write into a table's files."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING

import pyarrow as pa

from pipelines.delta.file_commits import replace_partitions, replace_paths
from pipelines.delta.lake import Lake, Where
from pipelines.delta.new_files import write_batches
from pipelines.engines.engine import Engine
from pipelines.engines.rewrites import rewritten
from pipelines.engines.row_maps import MappedFiles, RowMap, mapped
from pipelines.engines.spark import tasks
from pipelines.engines.spark.spark_session import session
from processes import orphan_jvms
from schemas.tables import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SQL_TYPES = {
    pa.string(): "STRING",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.timestamp("us", "UTC"): "TIMESTAMP",
    pa.date32(): "DATE",
    pa.binary(): "BINARY",
}


class SparkRelations:
    """Names are temporary views of the process's session."""

    def __init__(self, engine: Engine):
        self.engine, self.spark = engine, session(engine.config)
        self.kept: list[DataFrame] = []
        self.views: set[str] = set()

    def add_files(self, view: str, lake: Lake, table: Table, files: Sequence[str]) -> None:
        self._name(view, self._parquet(files, lake.schema(table), str(lake.folder(table.name))))

    def add_rows(self, view: str, rows: pa.Table) -> None:
        self._name(view, self.spark.createDataFrame(rows, ddl(rows.schema)))

    def add_mapped(self, view: str, files: MappedFiles) -> None:
        self._name(view, self._parquet([str(path) for path in files.paths], files.schema))

    def map_rows(self, view: str, work: RowMap, statement: str) -> None:
        rows = self.spark.sql(statement).select(*work.columns)
        ordered = rows.repartition("path").sortWithinPartitions("path", "line")
        self._keep(view, ordered.mapInArrow(partial(mapped, work), ddl(work.schema)))

    def define(self, view: str, statement: str) -> None:
        self._name(view, self.spark.sql(statement))

    def keep(self, view: str, statement: str) -> None:
        self._keep(view, self.spark.sql(statement))

    def rows(self, statement: str) -> list[tuple]:
        with tasks.reported():
            return [tuple(row) for row in self.spark.sql(statement).collect()]

    def replace(self, lake: Lake, table: Table, where: Where, statements: Sequence[str]) -> int:
        """Shuffled by partition, sorted, and written by the tasks that have them."""
        sorted_rows = self._together(table, statements)
        added = tasks.found_by(self.engine.config, sorted_rows, partial(_write, lake, table))
        ((column, values),) = where.items()
        if column in table.partition_by:
            return replace_partitions(lake, table, column, list(values), added)
        paths = [str(value) for value in values]
        return replace_paths(lake, table, paths, added, partial(rewritten, lake, self.engine, table, paths))

    def _together(self, table: Table, statements: Sequence[str]) -> "DataFrame":
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        rows = self.spark.sql(" UNION ALL ".join(f"SELECT {columns} FROM ({each})" for each in statements))
        together = rows.repartition(*table.partition_by) if table.partition_by else rows.repartition("path")
        order = [together[name].asc_nulls_last() for name in (*table.partition_by, *table.sort_by)]
        return together.sortWithinPartitions(*order)

    def forget(self) -> None:
        """Take the names back, and the room of what was kept; a JVM that was ended has nothing any more."""
        if orphan_jvms.jvm_lives():
            for frame in self.kept:
                frame.unpersist()
            for view in self.views:
                self.spark.catalog.dropTempView(view)

    def _parquet(self, files: Sequence[str], schema: pa.Schema, base: str | None = None) -> "DataFrame":
        if not files:
            # Rows from Python would start a job of another kind: 1.5 s more for the first day without late rows.
            columns = (f"CAST(NULL AS {_SQL_TYPES[field.type]}) AS `{field.name}`" for field in schema)
            return self.spark.sql(f"SELECT {', '.join(columns)} WHERE FALSE")
        reader = self.spark.read.schema(ddl(schema))
        return (reader.option("basePath", base) if base else reader).parquet(*files)

    def _keep(self, view: str, rows: "DataFrame") -> None:
        from pyspark import StorageLevel

        self.kept.append(rows.persist(StorageLevel.DISK_ONLY))
        self._name(view, self.kept[-1])

    def _name(self, view: str, rows: "DataFrame") -> None:
        rows.createOrReplaceTempView(view)
        self.views.add(view)


def ddl(schema: pa.Schema) -> str:
    """Columns as Spark declares them."""
    return ", ".join(f"`{field.name}` {_SQL_TYPES[field.type]}" for field in schema)


def _write(lake: Lake, table: Table, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """A file for each partition of sorted rows."""
    parts = itertools.groupby(_in_partitions(table, batches), key=itemgetter(0))
    of_partitions = ((dict(zip(table.partition_by, values, strict=True)), of_one) for values, of_one in parts)
    found = (write_batches(lake, table, partition, map(itemgetter(1), of_one)) for partition, of_one in of_partitions)
    yield from tasks.as_rows(each for each in found if each is not None)


def _in_partitions(table: Table, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[tuple, pa.RecordBatch]]:
    """Slices of batches that are of one partition each, and its values."""
    for batch in batches:
        columns = [batch[name].to_pylist() for name in table.partition_by]
        begins = 0
        for values, of_one in itertools.groupby(zip(*columns, strict=True) if columns else [()] * len(batch)):
            count = sum(1 for _ in of_one)
            yield values, batch.slice(begins, count)
            begins += count
