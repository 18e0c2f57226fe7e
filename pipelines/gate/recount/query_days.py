"""What is counted again: days of one query, at one version of each table, and of these some keys."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import duckdb
import pyarrow as pa

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.tables.arrival_days import DAY_US, day_start_us
from windrow.pipelines.tables.stream_tables import AuditVersions
from windrow.schemas.query import WINDOW_NUMBER, AggregatedValue, Query
from windrow.schemas.stream import Stream
from windrow.schemas.windows import DAY

if TYPE_CHECKING:
    from windrow.pipelines.tables.query_tables import QueryTables  # which knows the kernels: a recount uses none


class KeyShare(NamedTuple):
    """Keys of some buckets of silver, where a bucket holds a key's events whole; or one of so many parts of
    all keys."""

    buckets: tuple[int, ...] = ()
    part: int = 0
    parts: int = 1

    @property
    def of_silver(self) -> list[tuple]:
        """Which of silver's files hold its events."""
        return [("bucket", "in", [str(bucket) for bucket in self.buckets])] if self.buckets else []

    @property
    def within_buckets(self) -> "KeyShare":
        """What is left to choose where only its buckets' rows are."""
        return self._replace(buckets=())


ALL_KEYS = KeyShare()


class RecountDatabase:
    """What has a connection with tables of events."""

    connection: duckdb.DuckDBPyConnection

    def rows(self, statement: str) -> list[tuple]:
        return self.connection.execute(statement).fetchall()

    def one(self, statement: str) -> tuple:
        """The only row of a statement."""
        (row,) = self.rows(statement)
        return row

    def made(self) -> set[tuple[str, str]]:
        """Temporary tables and views: of which kind, and the name."""
        tables = "SELECT 'TABLE', table_name FROM duckdb_tables() WHERE temporary"
        return {*self.rows(f"{tables} UNION ALL SELECT 'VIEW', view_name FROM duckdb_views() WHERE temporary")}

    def drop(self, made: Iterable[tuple[str, str]]) -> None:
        """Such tables and views."""
        for kind, name in made:
            self.connection.execute(f'DROP {kind} "{name}"')

    def types_of(self, relation: str) -> dict[str, str]:
        return {column: kind for column, kind, *_ in self.rows(f"DESCRIBE {relation}")}


@dataclass(frozen=True)
class QueryConnection(RecountDatabase):
    """A query whose windows are counted without a run, and a connection that has tables of its events."""

    query: Query
    connection: duckdb.DuckDBPyConnection


@dataclass(frozen=True)
class AuditedDays:
    """Days of a query in rising order, and the versions of the tables, which have the rows of all. before: days whose
    rows were committed with these, and precede them; window_name: of a query with several windows the one that is
    counted again, None for all."""

    tables: "QueryTables"
    days: tuple[date, ...]
    versions: AuditVersions
    before: tuple[date, ...] = field(default=(), kw_only=True)
    window_name: str | None = field(default=None, kw_only=True)

    @cached_property
    def query(self) -> Query:
        """As it is counted again: of the one window."""
        return self.tables.query if self.window_name is None else self.tables.query.parts[self.window_name]

    @property
    def parts(self) -> Sequence["AuditedDays"]:
        """The same days, of each window alone."""
        return [replace(self, window_name=name) for name in self.tables.query.parts]

    @property
    def stream(self) -> Stream:
        return self.tables.source.stream

    @property
    def window(self) -> tuple[str, ...]:
        """The columns that name a window in the tables of a recount."""
        number = () if self.query.context_free else (WINDOW_NUMBER,)
        return ("key_number", "window_start_us", "window_end_us", *number)

    @property
    def start_us(self) -> int:
        return day_start_us(self.days[0])

    @property
    def end_us(self) -> int:
        """The first microsecond after the last day, UTC."""
        return day_start_us(self.days[-1]) + DAY_US

    @property
    def without_gaps(self) -> list["AuditedDays"]:
        """What is counted again at once: days that follow on each other, [start_us, end_us). Of windows that depend on
        their key's other events each day is alone: what one of their rows can have held is told by all that came until
        the end of the day (rows_held.py), and not by what came later."""
        alone, places = not self.query.context_free, range(1, len(self.days))
        cuts = [place for place in places if alone or self.days[place] - self.days[place - 1] > DAY]
        edges = pairwise([0, *cuts, len(self.days)])
        return [replace(self, days=self.days[low:high], before=self.days[:low]) for low, high in edges if low < high]


@dataclass(frozen=True)
class Recount(AuditedDays, RecountDatabase):
    """Days without a gap: what a law gets. `connection` has the tables of this package."""

    lake: Lake
    connection: duckdb.DuckDBPyConnection

    @cached_property
    def audited_rows(self) -> dict[date, int]:
        """How many rows of the run a day has, of days that have any: several laws ask."""
        return dict(self.rows("SELECT emitted_date, count(*) FROM audit GROUP BY ALL"))

    def days_that_differ(self, relations: Mapping[str, Sequence[str]]) -> list[date]:
        """The days of which two relations don't have the same rows, in any order: by sums of hashes of 64 bits. A join
        of five million rows that were all the same took four times as long. O(rows). relations: by SQL, which has
        the day as `emitted_date`, the columns that are compared."""
        digests = " UNION ALL ".join(
            f"SELECT emitted_date, count(*) AS rows, sum(CAST(hash({', '.join(columns)}) AS HUGEINT)) AS digest "
            f"FROM {relation} GROUP BY ALL"
            for relation, columns in relations.items()
        )
        differs = "count(*) <> 2 OR min(rows) <> max(rows) OR min(digest) <> max(digest)"
        return [day for (day,) in self.rows(f"SELECT emitted_date FROM ({digests}) GROUP BY ALL HAVING {differs}")]

    def add_rows(self, table: str, rows: pa.Table) -> None:
        """Add rows to a table, which the first ones make."""
        self.connection.register("some_rows", rows)
        self.connection.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table} AS FROM some_rows LIMIT 0")
        self.connection.execute(f"INSERT INTO {table} FROM some_rows")
        self.connection.unregister("some_rows")


def value_name(query: Query, value: AggregatedValue) -> str:
    """A value's name in `candidates`: numbered, so that it meets no name of a key or of a table."""
    return f"value_{query.values.index(value)}"


def column_name(query: Query, column: str) -> str:
    """That of a column which cuts windows."""
    return value_name(query, AggregatedValue.of_column(column))
