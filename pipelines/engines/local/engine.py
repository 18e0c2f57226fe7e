"""The local engine: each share of work in this process, one after the other; rows are mapped on all cores; statements
are DuckDB's."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import duckdb
import pyarrow as pa

from pipelines import storage
from pipelines.delta.day_files import add_view
from pipelines.delta.lake import Lake
from pipelines.delta.new_files import ROWS_PER_GROUP, NewFile, write_sorted
from pipelines.engines.engine import Engine, Found, Gathering, GroupWork
from pipelines.engines.file_rows import ROWS_PER_BATCH, MappedFiles, RowMap, RowsOfFiles, read_rows
from pipelines.engines.local import workers
from pipelines.location import Location
from schemas.tables import Table


class DuckdbRelations:
    """Names are views and tables of a database. `folder`: for mapped rows."""

    def __init__(self, database: duckdb.DuckDBPyConnection, folder: Path):
        self.database, self.folder = database, folder

    def add_files(self, view: str, lake: Lake, table: Table, files: Sequence[str]) -> None:
        add_view(self.database, lake, table, view, files)

    def add_rows(self, view: str, rows: pa.Table) -> None:
        self.database.register(view, rows)

    def add_mapped(self, view: str, files: MappedFiles) -> None:
        self.database.register(view, workers.read_mapped(files))

    def map_rows(self, view: str, work: RowMap, statement: str) -> None:
        ordered = f"SELECT * FROM ({statement}) ORDER BY path, line"
        lines = self.database.sql(ordered).to_arrow_reader(ROWS_PER_BATCH)
        path = self.folder / f"{uuid4().hex}.arrow"
        workers.write_mapped(work, lines, path)
        self.add_mapped(view, MappedFiles((path,), work.schema))

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
        within = ({} if pane.is_everything else {"start": pane.widened(*panes.halo_us)} for pane in ranges)
        return [work(read_rows(rows._replace(within=each)), pane) for each, pane in zip(within, ranges, strict=True)]

    def map_rows(self, work: RowMap, files: Sequence[str], rows: int, folder: Location) -> MappedFiles:
        """With a process per core, as far as there are rows for it."""
        useful = max(1, min(self.config.cores, rows // self.config.lines_per_worker))
        paths = workers.map_all(workers.Mapping(work, tuple(files), _of_this_machine(folder)), useful)
        return MappedFiles(tuple(paths), work.schema)

    @contextmanager
    def relations(self, folder: Location) -> Iterator[DuckdbRelations]:
        """A database in memory that spills."""
        here = _of_this_machine(folder)
        with storage.open_database(here / "spilled", self.config.lake) as database:
            yield DuckdbRelations(database, here)


def _of_this_machine(folder: Location) -> Path:
    assert isinstance(folder, Path), "what is on its way to the lake lies on this machine"
    return folder


made = LocalEngine
