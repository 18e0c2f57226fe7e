"""A DuckDB connection that spills instead of growing."""

import duckdb

from pipelines.delta.lake import Lake
from pipelines.rows import databases

# Times are compared as integers; these two are before and after every time that a table can hold.
EVER_US, NEVER_US = -(1 << 62), 1 << 62
FLOOR_DIV = "CREATE MACRO floor_div(x, y) AS (x - ((x % y) + y) % y) // y"


def open_recount_database(lake: Lake) -> duckdb.DuckDBPyConnection:
    """An in-memory database with the macro that windows are counted by."""
    connection = databases.open_database(lake.config.scratch, lake.config.lake)
    connection.execute(FLOOR_DIV)
    return connection
