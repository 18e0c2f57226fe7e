"""Counting again from silver, by plain SQL grouping in DuckDB, without a kernel (semantics §5).

Follow the data: `query_days.py` is what is counted; `sources.py` reads each table (`tables.py`) at one fixed version;
`ticks.py` says when the watermark passed what; `kinds/` which windows there are and what they hold, a file per kind.
`opening.py` does all that, and says what was known of each window after each arrival tick; the laws (`../checks/`)
compare it with the run's rows (`finding.py`). `silver.py` opens files and arrival days of a stream for the checks of
these. All times are int64 microseconds since the epoch, UTC, in columns that end in `_us`.
"""
