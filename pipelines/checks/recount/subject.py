"""What is counted again: one day of one query, at one version of each table."""

from dataclasses import dataclass
from datetime import date

import duckdb

from pipelines.audit_versions import AuditVersions
from pipelines.checks.recount import sql
from schemas.query import Query
from schemas.stream import Stream

DAY_US = 86_400_000_000


@dataclass(frozen=True)
class Recount:
    """What a law gets: the tables of this package in `connection`, and the day, `[start_us, end_us)`."""

    connection: duckdb.DuckDBPyConnection
    query: Query
    stream: Stream
    day: date
    versions: AuditVersions

    @property
    def start_us(self) -> int:
        """The first microsecond of the day, UTC."""
        return sql.day_start_us(self.day)

    @property
    def end_us(self) -> int:
        """The first microsecond after the day, UTC."""
        return self.start_us + DAY_US

    def reach_us(self, event: str) -> str:
        """SQL: the last microsecond of an event that a window must hold some of: its start, unless windows span."""
        if self.query.window.kind != "spanning":
            return f"epoch_us({event}.start)"
        return f"greatest(epoch_us({event}.end) - 1, epoch_us({event}.start))"

    def too_long(self, event: str) -> str:
        """SQL: whether an event is longer than spanning windows hold."""
        if self.query.window.kind != "spanning":
            return "FALSE"
        return f"epoch_us({event}.end) - epoch_us({event}.start) > {sql.microseconds(self.query.window.longest)}"

    @property
    def youngest_only(self) -> bool:
        """Rolling windows with emit `arrival`: rows for the key's youngest window only (semantics §2)."""
        return self.query.window.kind == "rolling" and self.query.emit == "arrival"

    def rows(self, statement: str) -> list[tuple]:
        """The rows of a statement."""
        return self.connection.execute(statement).fetchall()

    def one(self, statement: str) -> tuple:
        """The only row of a statement."""
        (row,) = self.rows(statement)
        return row
