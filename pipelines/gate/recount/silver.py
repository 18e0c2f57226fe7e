"""What the checks of silver look at, at the versions of one snapshot: an arrival day."""

from dataclasses import dataclass
from datetime import date

import duckdb

from pipelines.gate.recount import heartbeats, sql
from pipelines.gate.recount.session import open_session
from pipelines.gate.recount.tables import TableVersion, add_view
from pipelines.lake.lake import Lake
from pipelines.lake.snapshot import Snapshot
from pipelines.lake.stream_tables import StreamTables


@dataclass(frozen=True)
class SilverDay:
    """An arrival day: the views `silver`, `passes` and `partitions` of `connection`, and silver's version."""

    connection: duckdb.DuckDBPyConnection
    tables: StreamTables
    version: int
    day: date

    @property
    def of_day(self) -> str:
        """SQL: whether a row arrived on the day."""
        return f"arrival_date = {sql.literal(self.day)}"

    def moving(self, silver: str) -> str:
        """SQL: arrival and start of what moves the watermark on the day: its events, and heartbeats as events."""
        events, idle_after = f"FROM {silver} WHERE {self.of_day}", self.tables.stream.idle_after
        if idle_after is None:
            return f"SELECT arrival, start {events}"
        beats = heartbeats.of_day(events, self.day, sql.microseconds(idle_after))
        times = "make_timestamptz(tick_us), make_timestamptz(newest_us)"
        return f"SELECT arrival, start {events} UNION ALL SELECT {times} FROM ({beats})"

    def rows(self, statement: str) -> list[tuple]:
        """The rows of a statement."""
        return self.connection.execute(statement).fetchall()

    def one(self, statement: str) -> tuple:
        """The only row of a statement."""
        (row,) = self.rows(statement)
        return row


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
