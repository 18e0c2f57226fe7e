"""The Spark engine: work on shares is a job with a task for each, statements are Spark's SQL."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc

from pipelines import storage
from pipelines.delta.new_files import gathered
from pipelines.engines.engine import Engine, Executors, Found, Gathering, GroupWork, Share
from pipelines.engines.ranges import Panes, RowsOfFiles
from pipelines.engines.row_maps import MappedFiles, RowMap, batches_of, mapped
from pipelines.engines.shares import file_sizes, packed
from pipelines.engines.spark import tasks
from pipelines.engines.spark.relations import SparkRelations, ddl
from pipelines.engines.spark.settings import expected_executors, expected_slots
from pipelines.engines.spark.spark_session import pages, session
from pipelines.location import Location

PANE = "windrow_pane"


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

    def reporting(self, show: Callable[[str], None]) -> AbstractContextManager[None]:
        return tasks.progress_reported(show)

    @property
    def executors(self) -> Executors:
        """Of a cluster those that have come by now; on one machine this process."""
        return tasks.executors(self.config)

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
        found = session(self.config).read.schema(ddl(rows.schema)).parquet(*rows.files).where(_since(rows.since_us))
        in_panes = found.selectExpr("*", f"{_panes_of(gathering.panes)} AS {PANE}")
        together = in_panes.repartition(gathering.tasks, *gathering.key, PANE)
        of_groups = partial(_work_on_groups, work, rows.schema, gathering.panes)
        return tasks.found_by(self.config, together, of_groups, gathering.cores)

    def map_rows(self, work: RowMap, files: Sequence[str], rows: int, folder: Location) -> MappedFiles:
        """A file for each share of the files."""
        shares = packed(file_sizes(files), self.slots, self.config.task_bytes)
        storage.make_folder(folder)
        return MappedFiles(tuple(self.each(partial(_mapped, work, folder), shares)), work.schema)

    @contextmanager
    def relations(self, folder: Location) -> Iterator[SparkRelations]:
        """Temporary views of the session; Spark spills by itself."""
        with tasks.reported():
            made = SparkRelations(self)
            try:
                yield made
            finally:
                made.forget()


def _since(since_us: Mapping[str, int]) -> str:
    return " OR ".join(f'"{column}" >= timestamp_micros({us})' for column, us in since_us.items()) or "TRUE"


def _panes_of(panes: Panes) -> str:
    """The panes with a halo that a row is in, a row for each."""
    before_us, after_us = panes.halo_us
    offsets_us = panes.from_us + after_us, panes.from_us - before_us
    first_last = (f"floor((unix_micros(start) - {us}) / {panes.length_us})" for us in offsets_us)
    inside = (f"least(greatest({pane}, 0), {panes.total - 1})" for pane in first_last)
    return f"explode(sequence({', '.join(inside)}))"


def _work_on_groups(
    work: GroupWork, schema: pa.Schema, panes: Panes, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    # Arrow's batches cut keys and bursts, so they are gathered first.
    gathered = [batch for batch in batches if len(batch)]
    rows = pa.Table.from_batches(gathered) if gathered else pa.table({PANE: pa.array([], pa.int64())})
    numbers = sorted(pc.unique(rows[PANE]).to_pylist())
    of_pane = (rows.filter(pc.field(PANE) == number).drop_columns([PANE]).cast(schema) for number in numbers)
    yield from tasks.as_rows(work(each, panes.pane(number)) for number, each in zip(numbers, of_pane, strict=True))


def _mapped(work: RowMap, folder: Location, files: Sequence[str]) -> Location:
    path = folder / f"{uuid4().hex}.parquet"
    with storage.new_parquet(path, work.schema, "lz4") as writer:
        for part in gathered(pa.Table.from_batches([found]) for found in mapped(work, batches_of(files, work))):
            writer.write_table(part)
    return path


made = SparkEngine
