"""A DuckDB connection that spills instead of growing."""

import duckdb

from pipelines.config import Config

MEMORY = "2GB"
# Times are compared as integers; these two are before and after every time that a table can hold.
EVER_US, NEVER_US = -(1 << 62), 1 << 62
FLOOR_DIV = "CREATE MACRO floor_div(x, y) AS (x - ((x % y) + y) % y) // y"


def open_session(config: Config) -> duckdb.DuckDBPyConnection:
    """An in-memory database of at most `MEMORY`; what doesn't fit goes to tmp/ of the home folder."""
    scratch = config.home / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect(config={"memory_limit": MEMORY, "temp_directory": str(scratch),
                                        "preserve_insertion_order": False})
    connection.execute(FLOOR_DIV)
    return connection
