"""Pass ticks: the watermark's history, from which `P(E) = min { arrival(e) : start(e) ≥ E + lateness }` is exact.

Each arrival day keeps its own staircase: the arrival ticks that raised the newest event start of that day. It depends
on that day's silver alone, so days can be made in any order; joined and made to rise, they are the stream's staircase
(`pipelines/replay/watermark.py`).
"""

import duckdb
import pyarrow as pa


def staircases(database: duckdb.DuckDBPyConnection) -> pa.Table:
    """Rows of `pass_<stream>` for every day of the relation `silver` (arrival_date, arrival, start)."""
    return database.sql("""
        SELECT tick, newest_start, arrival_date
        FROM (SELECT *, max(newest_start) OVER (PARTITION BY arrival_date ORDER BY tick
                                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest_before
              FROM (SELECT arrival_date, arrival AS tick, max("start") AS newest_start FROM silver GROUP BY ALL))
        WHERE newest_before IS NULL OR newest_start > newest_before
        ORDER BY arrival_date, tick""").to_arrow_table()
