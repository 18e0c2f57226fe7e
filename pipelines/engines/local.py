"""The local engine, without a JVM: each share of work in this process, one after the other; statements are DuckDB's;
rows are mapped on all cores, as lines are parsed: this process maps some batches of them, helpers the others.

           ┌▶ worker 0, this process   batches 0, 1, 3, …  ─▶ 0.arrow
    files ─┤
           └▶ worker 1, a helper       batches 2, 4, 5, …  ─▶ 1.arrow

Every worker reads all the rows, in the same order, and maps the batches that it is the first to claim: reading is
thirty times as quick as parsing, and no worker waits for one that started late or has a busy core. Mapped rows wait on
disk, so that memory doesn't grow with them.

Helpers are plain processes that find what is to be done in a file. A pool of processes was tried (loky): it sends
lines through pipes, of which sliced Arrow batches are sent whole each time (4.2 s instead of 1.7), and its workers
outlive a killed parent. Forking would be the quickest, but Arrow's and delta-rs's threads may hold locks just then.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import duckdb
import pyarrow as pa

from windrow.pipelines import storage
from windrow.pipelines.config import IMPORTED_FROM, Config
from windrow.pipelines.delta.day_files import add_view
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import ROWS_PER_GROUP, NewFile, write_sorted
from windrow.pipelines.engines.engine import Engine, Found, Gathering, GroupWork
from windrow.pipelines.engines.file_rows import ROWS_PER_BATCH, RowMap, RowsOfFiles, batches_of, mapped, read_rows
from windrow.pipelines.location import Location
from windrow.schemas import cycles
from windrow.schemas.errors import WorkerLost
from windrow.schemas.tables import Table

_HELPER = "from windrow.pipelines.engines import local; local.help_out()"


@dataclass(frozen=True)
class Mapping:
    """What workers do together. files: Parquet; folder: where mapped rows and claims go."""

    work: RowMap
    files: tuple[str, ...]
    folder: Path
    rows_per_batch: int = ROWS_PER_BATCH

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Batches that no other worker has claimed."""
        for number, batch in enumerate(batches_of(self.files, self.work, self.rows_per_batch)):
            chosen = self.work.chosen(batch)
            if len(chosen) and self._claims(number):
                yield chosen

    def _claims(self, number: int) -> bool:
        try:
            (self.folder / f"{number}.claimed").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True


def map_all(mapping: Mapping, workers: int) -> list[Path]:
    """Map the rows with that many workers, into one Arrow file each in the folder, and return these. Raises OSError for
    a file that can't be written, WorkerLost for a helper that was killed, and RuntimeError with what another wrote on
    stderr."""
    mapping.folder.mkdir(parents=True, exist_ok=True)
    with _helpers(mapping, range(1, workers)) as helpers:
        made = _map(mapping, 0)
        for helper in helpers:
            errors = helper.communicate()[1].decode(errors="replace").strip()
            if helper.returncode < 0:
                raise WorkerLost(
                    f"a process of the local engine ended while it worked (by {signal.Signals(-helper.returncode).name}"
                    "): nothing was published, and what it left is made again. Run the same command again; if it ends "
                    "again, the machine may have too little memory for it"
                )
            if helper.returncode:
                raise RuntimeError(f"a process that maps rows ended with {helper.returncode}: {errors}")
    return [made.with_name(f"{worker}.arrow") for worker in range(workers)]


def help_out() -> None:
    """A helper's whole life: as the worker of this number, map what the file says. Ends early if the parent does."""
    file, worker, parent = sys.argv[1:]
    mapping = pickle.loads(Path(file).read_bytes())
    _map(mapping, int(worker), lambda: os.getppid() == int(parent))


def write_mapped(work: RowMap, batches: Iterable[pa.RecordBatch], path: Path) -> None:
    """Map rows into one Arrow file, uncompressed, so that `read_mapped` can map it into memory."""
    # Parsing makes millions of small tuples: a ninth of the time went into looking for cycles of them.
    with pa.ipc.new_file(path, work.schema) as file, cycles.not_searched_for():
        for found in mapped(work, batches):
            file.write(found)


def _map(mapping: Mapping, worker: int, wanted: Callable[[], bool] = lambda: True) -> Path:
    batches = (batch for batch in mapping.batches() if wanted() or sys.exit(1))
    path = mapping.folder / f"{worker}.arrow"
    write_mapped(mapping.work, batches, path)
    return path


def read_mapped(paths: Sequence[Path], schema: pa.Schema) -> pa.Table:
    """Mapped rows as they lie on disk, so that the system may take their memory back."""
    tables = (pa.ipc.open_file(pa.memory_map(str(path))).read_all() for path in paths)
    return pa.concat_tables([schema.empty_table(), *tables])


@contextmanager
def _helpers(mapping: Mapping, workers: Sequence[int]) -> Iterator[list[subprocess.Popen[bytes]]]:
    file, helpers = mapping.folder / "mapping", []
    if workers:  # else none reads it; and what is defined without a name of its own, as by a lambda, has no pickle
        file.write_bytes(pickle.dumps(mapping))
    try:
        for worker in workers:
            # -P: no module is taken from the current folder.
            words = [sys.executable, "-P", "-c", _HELPER, str(file), str(worker), str(os.getpid())]
            env, nothing = os.environ | {"PYTHONPATH": str(IMPORTED_FROM)}, subprocess.DEVNULL
            helpers.append(subprocess.Popen(words, env=env, stdin=nothing, stdout=nothing, stderr=subprocess.PIPE))
        yield helpers
    finally:
        for helper in helpers:
            with helper:  # waits, and closes its pipe
                helper.kill()


class DuckdbRelations:
    """Names are views and tables of a database. `folder`: for mapped rows."""

    def __init__(self, database: duckdb.DuckDBPyConnection, folder: Path, config: Config):
        self.database, self.folder, self.config = database, folder, config

    def add_files(self, view: str, lake: Lake, table: Table, files: Sequence[str]) -> None:
        add_view(self.database, lake, table, view, files)

    def add_rows(self, view: str, rows: pa.Table) -> None:
        self.database.register(view, rows)

    def map_files(self, view: str, work: RowMap, files: Sequence[str], rows: int) -> None:
        """With a process per core, as far as there are rows for it."""
        useful = max(1, min(self.config.cores, rows // self.config.lines_per_worker))
        paths = map_all(Mapping(work, tuple(files), self.folder / view), useful)
        self.database.register(view, read_mapped(paths, work.schema))

    def map_rows(self, view: str, work: RowMap, statement: str) -> None:
        ordered = f"SELECT * FROM ({statement}) ORDER BY path, line"
        lines = self.database.sql(ordered).to_arrow_reader(ROWS_PER_BATCH)
        path = self.folder / f"{uuid4().hex}.arrow"
        write_mapped(work, lines, path)
        self.database.register(view, read_mapped([path], work.schema))

    def define(self, view: str, statement: str) -> None:
        self.database.execute(f'CREATE OR REPLACE TEMP VIEW "{view}" AS {statement}')

    def keep(self, view: str, statement: str) -> None:
        self.database.execute(f'CREATE OR REPLACE TEMP TABLE "{view}" AS {statement}')

    def rows(self, statement: str) -> list[tuple]:
        return self.database.sql(statement).fetchall()

    def write(self, lake: Lake, table: Table, statements: Sequence[str]) -> list[NewFile]:
        order = ", ".join(f'"{name}" NULLS LAST' for name in (*table.partition_by, *table.sort_by))
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        found = " UNION ALL ".join(f"SELECT {columns} FROM ({each})" for each in statements)
        rows = self.database.sql(f"{found} ORDER BY {order}").to_arrow_reader(ROWS_PER_GROUP)
        return list(write_sorted(lake, table, rows))


class LocalEngine(Engine):
    """How rows move without a JVM."""

    def each_group(self, work: GroupWork[Found], rows: RowsOfFiles, gathering: Gathering) -> list[Found]:
        """All keys at once, pane after pane."""
        panes = gathering.panes
        ranges = [panes.pane(number) for number in range(panes.total)] if rows.files else []
        within = (pane.widened(*panes.halo_us).starts for pane in ranges)
        return [work(read_rows(rows._replace(within=each)), pane) for each, pane in zip(within, ranges, strict=True)]

    @contextmanager
    def relations(self, folder: Location) -> Iterator[DuckdbRelations]:
        """A database in memory that spills."""
        assert isinstance(folder, Path), "what is on its way to the lake lies on this machine"
        with storage.open_database(folder / "spilled", self.config.lake) as database:
            yield DuckdbRelations(database, folder, self.config)
