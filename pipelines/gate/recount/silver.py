"""What the checks of silver look at, at the versions of one snapshot: an arrival day, and the files of an ingest."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

import duckdb
import pyarrow as pa

from pipelines.gate.recount import sql
from pipelines.gate.recount.session import open_session
from pipelines.gate.recount.tables import TableVersion, add_view
from pipelines.lake.lake import Lake
from pipelines.lake.snapshot import Snapshot
from pipelines.lake.stream_tables import StreamTables

# Of more paths than these each file of a table holds some: there is nothing to leave out.
MOST_PATHS = 1_000


@dataclass(frozen=True)
class SilverRows:
    """Some of a stream's rows: the views of `connection`, and silver's version."""

    connection: duckdb.DuckDBPyConnection
    tables: StreamTables
    version: int

    def rows(self, statement: str) -> list[tuple]:
        """The rows of a statement."""
        return self.connection.execute(statement).fetchall()

    def one(self, statement: str) -> tuple:
        """The only row of a statement."""
        (row,) = self.rows(statement)
        return row


@dataclass(frozen=True)
class SilverDay(SilverRows):
    """An arrival day: the views `silver`, `passes` and `partitions` of it."""

    day: date

    @property
    def of_day(self) -> str:
        """SQL: whether a row arrived on the day."""
        return f"arrival_date = {sql.literal(self.day)}"


@dataclass(frozen=True)
class LandedFiles(SilverRows):
    """Some landed files: the views `files`, `silver` and `quarantine` of them."""


def open_day(lake: Lake, tables: StreamTables, snapshot: Snapshot, day: date) -> SilverDay:
    """Open a day of the stream's tables: of events nothing is read yet."""
    connection = open_session(lake)
    for view, table in (("silver", tables.silver), ("passes", tables.passes)):
        source = TableVersion(lake, table.name, snapshot.version(table.name), "arrival_date")
        add_view(connection, view, source, day, day)
    noted = TableVersion(lake, tables.partitions.name, snapshot.version(tables.partitions.name))
    add_view(connection, "all_partitions", noted)
    connection.execute(f"CREATE TEMP VIEW partitions AS FROM all_partitions WHERE arrival_date = {sql.literal(day)}")
    return SilverDay(connection, tables, snapshot.version(tables.silver.name), day)


def open_files(
    lake: Lake, tables: StreamTables, snapshot: Snapshot, paths: Collection[str] | None = None
) -> LandedFiles:
    """Open the rows of some landed files, by default of all. O(rows of table files that may hold some of theirs)."""
    connection = open_session(lake)
    if paths is not None:
        connection.register("asked", pa.table({"path": pa.array(sorted(paths), pa.string())}))
    for view, table in (("files", tables.files), ("silver", tables.silver), ("quarantine", tables.quarantine)):
        _add_files_view(connection, view, TableVersion(lake, table.name, snapshot.version(table.name)), paths)
    return LandedFiles(connection, tables, snapshot.version(tables.silver.name))


def _add_files_view(
    connection: duckdb.DuckDBPyConnection, view: str, source: TableVersion, paths: Collection[str] | None
) -> None:
    few = None if paths is None or len(paths) > MOST_PATHS else sorted(paths)
    add_view(connection, f"all_{view}", source, paths=few)
    wanted = "" if paths is None else "WHERE path IN (SELECT path FROM asked)"
    connection.execute(f"CREATE TEMP VIEW {view} AS FROM all_{view} {wanted}")
