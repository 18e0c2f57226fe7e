"""One arrival day of a stream, at the newest version of each of its tables."""

from dataclasses import dataclass
from datetime import date

import duckdb

from pipelines import lake
from pipelines.checks.recount import sql
from pipelines.checks.recount.session import open_session
from pipelines.checks.recount.tables import Source, add_view
from pipelines.config import Config
from schemas.stream import Stream

DAY_OF = {"silver": "arrival_date", "pass": "arrival_date"}


@dataclass(frozen=True)
class SilverDay:
    """What a check of silver gets.

    connection: with the views `silver` and `passes` of the day; `all_silver`, `files`, `quarantine` and `partitions`
    whole. versions: by the first part of the table's name, such as "silver".
    """

    connection: duckdb.DuckDBPyConnection
    stream: Stream
    day: date
    versions: dict[str, int]

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


def open_silver(config: Config, stream: Stream, day: date) -> SilverDay:
    """Open the stream's tables: nothing is read yet."""
    tables = ("silver", "files", "quarantine", "pass", "partitions")
    versions = {table: lake.version(config, f"{table}_{stream.name}") for table in tables}
    sources = {table: Source(config, f"{table}_{stream.name}", versions[table], DAY_OF.get(table)) for table in tables}
    connection = open_session(config)
    add_view(connection, "silver", sources["silver"], day, day)
    add_view(connection, "passes", sources["pass"], day, day)
    add_view(connection, "all_silver", sources["silver"])
    for table in ("files", "quarantine", "partitions"):
        add_view(connection, table, sources[table])
    return SilverDay(connection, stream, day, versions)
