"""The Spark engine: work on shares is a job with a task for each, statements are Spark's SQL, over temporary views; its
tasks write rows into a table's files."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, gathered, write_sorted
from windrow.pipelines.engines.engine import Engine, Found, Gathering, GroupWork, Share, file_sizes
from windrow.pipelines.engines.file_rows import Panes, RowMap, RowsOfFiles, batches_of, mapped
from windrow.pipelines.engines.spark import tasks
from windrow.pipelines.engines.spark.settings import expected_executors, expected_slots
from windrow.pipelines.engines.spark.spark_session import end_reported, pages, session
from windrow.pipelines.location import Location
from windrow.processes import orphan_jvms
from windrow.schemas.tables import Table

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
PANE = "windrow_pane"


class SparkRelations:
    """Names are temporary views of the process's session. `folder`: for mapped rows."""

    def __init__(self, engine: Engine, folder: Location):
        self.engine, self.folder, self.spark = engine, folder, session(engine.config)
        self.kept: list[DataFrame] = []
        self.views: set[str] = set()

    def add_files(self, view: str, lake: Lake, table: Table, files: Sequence[str]) -> None:
        self._name(view, self._parquet(files, lake.schema(table), str(lake.folder(table.name))))

    def add_rows(self, view: str, rows: pa.Table) -> None:
        self._name(view, self.spark.createDataFrame(rows, ddl(rows.schema)))

    def map_files(self, view: str, work: RowMap, files: Sequence[str], rows: int) -> None:
        """A file for each share of the files."""
        storage.make_folder(self.folder / view)
        found = self.engine.share_out(partial(_mapped, work, self.folder / view), file_sizes(files))
        self._name(view, self._parquet(found, work.schema))

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

    def write(self, lake: Lake, table: Table, statements: Sequence[str]) -> list[NewFile]:
        """Shuffled by partition, sorted, and written by the tasks that have them."""
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        rows = self.spark.sql(" UNION ALL ".join(f"SELECT {columns} FROM ({each})" for each in statements))
        together = rows.repartition(*table.partition_by) if table.partition_by else rows.repartition("path")
        order = [together[name].asc_nulls_last() for name in (*table.partition_by, *table.sort_by)]
        sorted_rows = together.sortWithinPartitions(*order)
        return tasks.found_by(self.engine.config, sorted_rows, partial(write_sorted, lake, table))

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


class SparkEngine(Engine):
    """One session of this process, started when it is first needed."""

    @property
    def slots(self) -> int:
        """Spark's default parallelism: the cores of its executors."""
        return session(self.config).sparkContext.defaultParallelism

    @property
    def expected_slots(self) -> int:
        return expected_slots(self.config)

    @property
    def expected_executors(self) -> int:
        return expected_executors(self.config)

    @property
    def page(self) -> str | None:
        """Spark's own page, while the session lasts, and its event log."""
        return pages()

    @contextmanager
    def reporting(self, show: Callable[[str], None]) -> Iterator[None]:
        """Also SparkEnded, wherever in a step the JVM is found gone."""
        with end_reported(), tasks.progress_reported(show):
            yield

    @property
    def executors(self) -> tuple[int, int]:
        """Of a cluster those that have come by now, with the cores of the smallest; on one machine this process.
        Spark's default parallelism says neither: it is 2 at least, or what the user has set."""
        context = session(self.config).sparkContext
        listed = context._jsc.sc().statusStore().executorList(True)
        every = [listed.apply(place) for place in range(listed.size())]
        if tasks.on_one_machine(self.config):
            return 1, every[0].totalCores() or context.defaultParallelism
        cores = [each.totalCores() for each in every if each.id() != "driver"]
        return max(1, len(cores)), max(1, min(cores, default=1))

    def each(self, work: Callable[[Share], Found], shares: Sequence[Share], cores: int | None = None) -> list[Found]:
        """A task for each share; of whole executors as many at a time as there are, on one machine one for all."""
        if not shares:
            return []
        count = 1 if cores is not None and tasks.on_one_machine(self.config) else len(shares)
        numbers = session(self.config).range(0, len(shares), 1, count)
        return tasks.found_by(self.config, numbers, partial(tasks.work_on, work, tuple(shares)), cores)

    def each_group(self, work: GroupWork[Found], rows: RowsOfFiles, gathering: Gathering) -> list[Found]:
        """Shuffled by key and pane."""
        if not rows.files:
            return []
        since = (f'"{column}" >= timestamp_micros({us})' for column, us in rows.since_us.items())
        found = session(self.config).read.schema(ddl(rows.schema)).parquet(*rows.files)
        in_panes = found.where(" OR ".join(since) or "TRUE").selectExpr("*", f"{_panes_of(gathering.panes)} AS {PANE}")
        together = in_panes.repartition(gathering.tasks, *gathering.key, PANE)
        of_groups = partial(_work_on_groups, work, rows.schema, gathering.panes)
        return tasks.found_by(self.config, together, of_groups, gathering.cores)

    @contextmanager
    def relations(self, folder: Location) -> Iterator[SparkRelations]:
        """Temporary views of the session; Spark spills by itself."""
        with tasks.reported():
            made = SparkRelations(self, folder)
            try:
                yield made
            finally:
                made.forget()


def _panes_of(panes: Panes) -> str:
    """The panes with a halo that a row is in, a row for each."""
    before_us, after_us = panes.halo_us
    offsets_us = panes.from_us + after_us, panes.from_us - before_us
    first_last = (f"floor((unix_micros(start) - {us}) / {panes.length_us})" for us in offsets_us)
    inside = (f"least(greatest({pane}, 0), {panes.total - 1})" for pane in first_last)
    return f"explode(sequence({', '.join(inside)}))"


def _work_on_groups(work: GroupWork, schema: pa.Schema, panes: Panes, batches: Iterable[pa.RecordBatch]) -> Iterator:
    # Arrow's batches cut keys and bursts, so they are gathered first.
    gathered = [batch for batch in batches if len(batch)]
    rows = pa.Table.from_batches(gathered) if gathered else pa.table({PANE: pa.array([], pa.int64())})
    numbers = sorted(pc.unique(rows[PANE]).to_pylist())
    of_pane = (rows.filter(pc.field(PANE) == number).drop_columns([PANE]).cast(schema) for number in numbers)
    return (work(each, panes.pane(number)) for number, each in zip(numbers, of_pane, strict=True))


def _mapped(work: RowMap, folder: Location, files: Sequence[str]) -> list[str]:
    path = folder / f"{uuid4().hex}.parquet"
    with storage.new_parquet(path, work.schema, "lz4") as writer:
        for part in gathered(pa.Table.from_batches([found]) for found in mapped(work, batches_of(files, work))):
            writer.write_table(part)
    return [str(path)]
