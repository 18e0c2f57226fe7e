"""DuckDB databases that spill to disk instead of growing."""

from pathlib import Path

import duckdb

from pipelines import storage
from pipelines.location import Location
from processes import signals

MEMORY = "2GB"  # ingests and gates of several streams run at the same time


def open_database(folder: Path, lake: Location) -> duckdb.DuckDBPyConnection:
    """In memory, of at most `MEMORY`, the rest in the folder; it can read the lake's files. Rows are in no order."""
    folder.mkdir(parents=True, exist_ok=True)
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": MEMORY,
        "temp_directory": str(folder),
        "preserve_insertion_order": False,
    }
    made = signals.interruptible(duckdb.connect(config=settings))
    made.execute("SET TimeZone = 'UTC'")
    storage.let_duckdb_read(made, lake)
    return made
