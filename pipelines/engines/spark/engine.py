"""The Spark engine: work on shares is a job with a task for each, statements are Spark's SQL."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq

from pipelines.config import Config
from pipelines.engines.spark import tasks
from pipelines.engines.spark.relations import SparkRelations, ddl
from pipelines.engines.spark.session import require_alive, session
from pipelines.lake.engine import Found, MappedFiles, RowMap, RowsOfFiles, Share
from pipelines.lake.shares import file_sizes, packed

# As many as keep a task's memory small, and Python's cost of each batch out of sight.
ROWS_PER_BATCH = 5_000


@dataclass(frozen=True)
class SparkEngine:
    """One session of this process, started when it is first needed."""

    config: Config
    rows_per_commit: None = None

    @property
    def slots(self) -> int:
        """Spark's default parallelism: the cores of its executors."""
        return session(self.config).sparkContext.defaultParallelism

    def reporting(self, show: Callable[[str], None]) -> AbstractContextManager[None]:
        """The tasks of its jobs."""
        from pipelines.engines.spark import progress

        return progress.reported(show)

    def each(self, work: Callable[[Share], Found], shares: Sequence[Share]) -> list[Found]:
        """A task for each share."""
        return tasks.each(self.config, work, shares)

    def each_group(self, work: Callable[[pa.Table], Found], rows: RowsOfFiles, key: tuple[str, ...]) -> list[Found]:
        """Shuffled by key; rows without a key are one group, and one task's."""
        if not rows.files:
            return []
        found = session(self.config).read.schema(ddl(rows.schema)).parquet(*rows.files).where(_since(rows.since_us))
        together = found.repartition(*key) if key else found.coalesce(1)
        return tasks.found_by(together.mapInArrow(partial(_work_on_group, work, rows.schema), "found BINARY"))

    def map_rows(self, work: RowMap, files: Sequence[str], rows: int, folder: Path) -> MappedFiles:
        """A file for each share of the files."""
        shares = packed(file_sizes(files), self.slots, self.config.task_bytes)
        folder.mkdir(parents=True, exist_ok=True)
        return MappedFiles(tuple(self.each(partial(_mapped, work, folder), shares)), work.schema)

    @contextmanager
    def relations(self, folder: Path) -> Iterator[SparkRelations]:
        """Temporary views of the session; Spark spills by itself."""
        with tasks.reported():
            made = SparkRelations(self, self.config)
            try:
                yield made
            finally:
                made.forget()
            # Great Expectations takes the end of the JVM for rows that it can't check.
            require_alive()


def _since(since_us: Mapping[str, int]) -> str:
    return " OR ".join(f'"{column}" >= timestamp_micros({us})' for column, us in since_us.items())


def _work_on_group(
    work: Callable[[pa.Table], object], schema: pa.Schema, batches: Iterable[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    # Arrow's batches cut keys and bursts, so they are gathered first.
    gathered = [batch for batch in batches if len(batch)]
    yield from tasks.as_rows([work(pa.Table.from_batches(gathered).cast(schema))] if gathered else [])


def _mapped(work: RowMap, folder: Path, files: Sequence[str]) -> Path:
    path, mapped = folder / f"{uuid4().hex}.parquet", work.start()
    with pq.ParquetWriter(path, work.schema, compression="lz4") as writer:
        for file in files:
            with pq.ParquetFile(file) as rows:
                for batch in rows.iter_batches(ROWS_PER_BATCH, columns=list(work.columns), use_threads=False):
                    if len(chosen := work.chosen(batch)):
                        writer.write_batch(mapped(chosen))
    return path


made = SparkEngine
