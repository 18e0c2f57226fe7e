"""Counting again from silver, by plain SQL grouping in DuckDB, without a kernel (semantics §5).

Follow the data: `query_days.py` is what is counted, `recount.py` that with its windows; `database.py` opens DuckDB with
bounded memory; `sources.py` reads each table at one fixed version; `ticks.py` says when the watermark passed what;
`kinds/` which windows there are and what they hold, a file per kind; `history.py` what was known of each window after
each arrival tick. `opening.py` does all that; the laws (`../checks/`) compare it with the run's rows. `silver.py` opens
arrival days of a stream for the checks of silver. All times are int64 microseconds since the epoch, UTC, in columns
that end in `_us`.
"""
