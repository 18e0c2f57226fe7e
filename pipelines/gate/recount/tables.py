"""Tables of the lake as views: the files of one version, and of its days only those that are asked for.

A dataset of delta-rs takes a millisecond of Python per file of the whole table, so that a run of a day would cost
more with every day of history (measured: 1.5 s at 1,355 files; naming the files to DuckDB takes 0.03 s).
"""

from collections.abc import Sequence
from datetime import date
from itertools import chain
from typing import NamedTuple

import duckdb

from windrow.pipelines import storage
from windrow.pipelines.delta import day_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount.query_days import AuditedDays
from windrow.schemas.tables import Table

EVERY_DAY = (date.min, date.max)
# DuckDB takes the unnested windows of a few ranges for few, and hashes five million of them to look up fifty thousand:
# four times the time. So the right side of each join is the one that is hashed, and stands there for that.
AS_WRITTEN = "SET disabled_optimizers = 'build_side_probe_side'"
FLOOR_DIV = "CREATE MACRO floor_div(x, y) AS (x - ((x % y) + y) % y) // y"


class TableVersion(NamedTuple):
    """Rows of one version of a table; `among`: filters of its files."""

    lake: Lake
    table: Table
    version: int
    among: Sequence[tuple] = ()

    @property
    def partition(self) -> str:
        """The column of their day."""
        return next(column for column in self.table.partition_by if column.endswith("_date"))


def open_recount_database(lake: Lake) -> duckdb.DuckDBPyConnection:
    """An in-memory database that spills instead of growing, with the macro that windows are counted by. Joins are
    done as they are written."""
    connection = storage.open_database(lake.config.scratch, lake.config.lake)
    connection.execute(FLOOR_DIV)
    connection.execute(AS_WRITTEN)
    return connection


def add_view(
    connection: duckdb.DuckDBPyConnection, view: str, source: TableVersion, days: tuple[date, date] = EVERY_DAY
) -> None:
    """Make a view of a table's days from the first to the last. O(files of the table)."""
    among = [*source.among]
    if days != EVERY_DAY:
        among += [(source.partition, sign, day.isoformat()) for sign, day in zip((">=", "<="), days, strict=True)]
    files = source.lake.files(source.table.name, source.version, among or None)
    day_files.add_view(connection, source.lake, source.table, view, files)


def bytes_by_bucket(lake: Lake, of: AuditedDays, since: date = date.min) -> dict[int, int]:
    """Of silver, from a day to the last. From Delta's log: no file is asked. O(files of silver)."""
    name, last, found = of.tables.source.silver.name, of.days[-1], dict.fromkeys(range(of.stream.buckets), 0)
    of_days = day_files.files_by_day(lake, name, of.versions.silver, lambda day: since <= day <= last)
    for each in chain.from_iterable(of_days.values()):
        assert each.bucket is not None, "silver is partitioned by bucket"
        found[each.bucket] += each.file_bytes
    return found
