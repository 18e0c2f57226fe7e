"""What the pages ask of the lake: SQL by DuckDB over what delta-rs opens, so that few rows reach Python."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

import duckdb
import pyarrow as pa

from windrow.pipelines.delta.day_files import by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.sql import statements


@dataclass(frozen=True)
class Reader:
    """Some tables of the lake as views of their names, in one connection that can't change them."""

    lake: Lake
    connection: duckdb.DuckDBPyConnection
    names: tuple[str, ...]

    def keep(self, name: str, select: str) -> None:
        """Make a table of the connection of a SELECT's rows: several figures are made from what one scan finds."""
        with self._explained(select):
            self.connection.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS {select}")

    def table(self, select: str) -> pa.Table:
        with self._explained(select):
            return self.connection.sql(select).to_arrow_table()

    @contextmanager
    def _explained(self, select: str) -> Iterator[None]:
        try:
            yield
        except (duckdb.Error, pa.ArrowException, OSError) as error:
            raise statements.explained(self.lake, error, list(self.names), select) from error

    def rows(self, select: str) -> list[dict]:
        return self.table(select).to_pylist()

    def tuples(self, select: str) -> list[tuple]:
        """A SELECT's rows, as a listing of a page shows them."""
        return list(zip(*(column.to_pylist() for column in self.table(select).columns), strict=True))


@contextmanager
def reading(lake: Lake, *names: str) -> Iterator[Reader]:
    """A reader of these tables. TableDamaged or StorageFailed where one of them can't be opened."""
    with statements.connect(lake, list(names)) as connection:
        yield Reader(lake, connection, names)


def rows_of_days(lake: Lake, table: str) -> dict[date, int]:
    """By day of a table that has any. O(files), by their statistics."""
    return {day: of_day.rows for day, of_day in by_day(lake, table).items() if of_day.rows}


def newest_days(by_day: Mapping[date, int], most: int) -> tuple[date, int]:
    """From which day on there are at most so many rows, the newest day's apart; and how many."""
    first, *older = sorted(by_day, reverse=True)
    taken = by_day[first]
    for day in older:
        if taken + by_day[day] > most:
            break
        first, taken = day, taken + by_day[day]
    return first, taken
