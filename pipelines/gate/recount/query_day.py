"""What is counted again: one day of one query, at one version of each table. Its windows are recount.py's."""

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Protocol

import duckdb

from pipelines.gate.recount import sql
from pipelines.lake.audit_versions import AuditVersions
from schemas.query import WINDOW_NUMBER, Query
from schemas.stream import Stream

if TYPE_CHECKING:
    from pipelines.lake.query_tables import QueryTables  # which knows the kernels: a recount uses none

DAY_US = 86_400_000_000


class QuerySession(Protocol):
    """A query, and a connection that has tables of its events."""

    @property
    def query(self) -> Query:
        """Whose windows are counted."""

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """Where the tables are."""

    def one(self, statement: str) -> tuple:
        """The only row of a statement."""


@dataclass(frozen=True)
class AuditedDay:
    """A day of a query, `[start_us, end_us)`, and the versions of the tables."""

    tables: "QueryTables"
    day: date
    versions: AuditVersions

    @property
    def query(self) -> Query:
        """The query that the run was of."""
        return self.tables.query

    @property
    def stream(self) -> Stream:
        """The stream that it reads."""
        return self.tables.source.stream

    @property
    def window(self) -> tuple[str, ...]:
        """The columns that name a window in the tables of a recount."""
        number = () if self.query.window.context_free else (WINDOW_NUMBER,)
        return ("key_number", "window_start_us", "window_end_us", *number)

    @property
    def start_us(self) -> int:
        """The first microsecond of the day, UTC."""
        return sql.day_start_us(self.day)

    @property
    def end_us(self) -> int:
        """The first microsecond after the day, UTC."""
        return self.start_us + DAY_US


@dataclass(frozen=True)
class AuditedDays:
    """Interim."""

    tables: "QueryTables"
    days: tuple[date, ...]
    versions: AuditVersions


@dataclass(frozen=True)
class QueryDay(AuditedDay):
    """With the tables of this package in `connection`."""

    connection: duckdb.DuckDBPyConnection

    def rows(self, statement: str) -> list[tuple]:
        """The rows of a statement."""
        return self.connection.execute(statement).fetchall()

    def one(self, statement: str) -> tuple:
        """The only row of a statement."""
        (row,) = self.rows(statement)
        return row


def value_name(query: Query, column: str) -> str:
    """A value column's name in `candidates`: numbered, so that it meets no name of a key or of a table."""
    return f"value_{query.value_columns.index(column)}"
