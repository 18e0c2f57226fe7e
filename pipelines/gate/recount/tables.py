"""Tables of the lake as views: the files of one version, and of its days only those that are asked for.

A dataset of delta-rs takes a millisecond of Python per file of the whole table, so that a run of a day would cost
more with every day of history (measured: 1.5 s at 1,355 files; naming the files to DuckDB takes 0.03 s).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

import duckdb

from pipelines import storage
from pipelines.delta.lake import Lake
from pipelines.gate.recount import sql

EVERY_DAY = (date.min, date.max)
# DuckDB takes the unnested windows of a few ranges for few, and hashes five million of them to look up fifty thousand:
# four times the time. So the right side of each join is the one that is hashed, and stands there for that.
AS_WRITTEN = "SET disabled_optimizers = 'build_side_probe_side'"
FLOOR_DIV = "CREATE MACRO floor_div(x, y) AS (x - ((x % y) + y) % y) // y"


@dataclass(frozen=True)
class TableVersion:
    """One version of a table; `partition` is the column that holds the day, where it has one; `among`: more filters of
    its files."""

    lake: Lake
    table: str
    version: int
    partition: str | None = None
    among: Sequence[tuple] = ()


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
    """Make a view of a table's days from the first to the last, times being TIMESTAMPTZ whichever engine wrote them."""
    within = [(source.partition, sign, day.isoformat()) for sign, day in zip((">=", "<="), days, strict=True)]
    whole = source.partition is None or days == EVERY_DAY
    files = source.lake.files(source.table, source.version, [*([] if whole else within), *source.among] or None)
    if not files:
        connection.register(view, source.lake.dataset(source.table, source.version).head(0))
        return
    listed = sql.literals(files)
    rows = f"read_parquet([{listed}], hive_partitioning = true)"
    connection.execute(f"CREATE TEMP VIEW {view} AS SELECT * {_in_utc(connection, rows)} FROM {rows}")


def _in_utc(connection: duckdb.DuckDBPyConnection, rows: str) -> str:
    """Spark writes times without a zone; they are UTC, and a plain cast would take the machine's zone."""
    described = connection.execute(f"DESCRIBE SELECT * FROM {rows}").fetchall()
    naive = [sql.name(column) for column, kind, *_ in described if kind.startswith("TIMESTAMP") and "ZONE" not in kind]
    replaced = ", ".join(f"make_timestamptz(epoch_us({column})) AS {column}" for column in naive)
    return f"REPLACE ({replaced})" if naive else ""
