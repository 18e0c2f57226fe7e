"""Counting again from silver, by plain SQL grouping in DuckDB, without a kernel (semantics §5).

Follow the data: `session.py` opens DuckDB with bounded memory; `sources.py` reads each table at one fixed
version; `ticks.py` says when the watermark passed what; `windows.py` (and `rolling.py`, `calendar.py`) which
windows there are; `history.py` what was known of each window after each arrival tick. The laws in the folder
above compare that with the run's rows. `silver.py` opens an arrival day of a stream for the checks of silver.
All times are int64 microseconds since the epoch, UTC, in columns that end in `_us`.
"""

from pipelines.checks.recount.opening import open_recount

__all__ = ["open_recount"]
