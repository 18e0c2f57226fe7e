"""One arrival day of a stream, at the newest version of each of its tables."""

from dataclasses import dataclass
from datetime import date

import duckdb

from pipelines.gate.recount import sql
from pipelines.gate.recount.session import open_session
from pipelines.gate.recount.tables import TableVersion, add_view
from pipelines.lake.lake import Lake
from pipelines.lake.stream_tables import StreamTables
from schemas.tables import Table


@dataclass(frozen=True)
class SilverDay:
    """What a check of silver gets.

    connection: with the views `silver` and `passes` of the day; `all_silver`, `files`, `quarantine` and `partitions`
    whole; version: silver's; events_noted: rows of the day, as ingest noted them.
    """

    connection: duckdb.DuckDBPyConnection
    tables: StreamTables
    day: date
    version: int
    events_noted: int

    @property
    def of_day(self) -> str:
        """SQL: whether a row arrived on the day."""
        return f"arrival_date = {sql.literal(self.day)}"

    def rows(self, statement: str) -> list[tuple]:
        """The rows of a statement."""
        return self.connection.execute(statement).fetchall()

    def one(self, statement: str) -> tuple:
        """The only row of a statement."""
        (row,) = self.rows(statement)
        return row


def open_silver(lake: Lake, tables: StreamTables, day: date) -> SilverDay:
    """Open the stream's tables: of events nothing is read yet."""
    connection, silver = open_session(lake), _newest(lake, tables.silver, "arrival_date")
    add_view(connection, "silver", silver, day, day)
    add_view(connection, "all_silver", silver)
    add_view(connection, "passes", _newest(lake, tables.passes, "arrival_date"), day, day)
    for view, table in (
        ("files", tables.files),
        ("quarantine", tables.quarantine),
        ("partitions", tables.partitions),
    ):
        add_view(connection, view, _newest(lake, table))
    noted = connection.execute("SELECT sum(events) FROM partitions WHERE arrival_date = ?", [day]).fetchall()
    return SilverDay(connection, tables, day, silver.version, int(noted[0][0] or 0))


def _newest(lake: Lake, table: Table, partition: str | None = None) -> TableVersion:
    return TableVersion(lake, table.name, lake.existing_version(table.name), partition)
