"""Pass ticks: the watermark's history, from which `P(E) = min { arrival(e) : start(e) ≥ E + lateness }` is exact.

Each arrival day keeps its own staircase: the arrival ticks that raised the newest event start of that day. It depends
on that day's silver alone, so days can be made in any order; joined and made to rise, they are the stream's staircase
(`pipelines/replay/watermark.py`).

Where silence moves the watermark (`schemas/idle.py`), the heartbeats after the day's first arrival are steps too. A
part of a day's events doesn't know how long the day was silent: of its arrivals it has `stretches` without a heartbeat.
"""

import duckdb
import numpy as np
import pyarrow as pa

from pipelines.rows.arrays import TIME
from pipelines.tables import heartbeats
from pipelines.tables.heartbeats import DAY_US

_DAY = ("arrival_date", pa.date32())
STEPS = pa.schema([("tick", TIME), ("newest_start", TIME), _DAY])
STRETCHES = pa.schema([_DAY, ("since_us", pa.int64()), ("until_us", pa.int64())])


def staircases(database: duckdb.DuckDBPyConnection) -> pa.Table:
    """Rows of `pass_<stream>` for every day of the relation `silver` (arrival_date, arrival, start)."""
    return database.sql("""
        SELECT tick, newest_start, arrival_date
        FROM (SELECT *, max(newest_start) OVER (PARTITION BY arrival_date ORDER BY tick
                                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest_before
              FROM (SELECT arrival_date, arrival AS tick, max("start") AS newest_start FROM silver GROUP BY ALL))
        WHERE newest_before IS NULL OR newest_start > newest_before
        ORDER BY arrival_date, tick""").to_arrow_table()


def joined(database: duckdb.DuckDBPyConnection, parts: pa.Table) -> pa.Table:
    """The staircases of parts of the events, and of heartbeats, as one of all of them."""
    database.register("silver", parts.rename_columns(["arrival", "start", "arrival_date"]))
    return staircases(database)


def stretches(database: duckdb.DuckDBPyConnection, every_us: int) -> pa.Table:
    """Of every day of `silver` when arrivals follow on each other so closely that no heartbeat comes in between."""
    return database.sql(f"""
        SELECT arrival_date, min(tick_us) AS since_us, max(tick_us) AS until_us
        FROM (SELECT *, count(*) FILTER (silence_us > {every_us}) OVER (
                         PARTITION BY arrival_date ORDER BY tick_us) AS stretch
              FROM (SELECT *, tick_us - lag(tick_us) OVER (PARTITION BY arrival_date ORDER BY tick_us) AS silence_us
                    FROM (SELECT DISTINCT arrival_date, epoch_us(arrival) AS tick_us FROM silver)))
        GROUP BY arrival_date, stretch""").to_arrow_table()


def heartbeats_of(found: pa.Table, every_us: int) -> pa.Table:
    """The heartbeats between the stretches of all parts, and from a day's last one until its end, as steps."""
    ordered = found.sort_by("since_us")
    since_us, until_us = (ordered[name].to_numpy() for name in ("since_us", "until_us"))
    silent_us = np.maximum.accumulate(until_us)
    next_us = np.append(since_us[1:], np.iinfo(np.int64).max)[: len(since_us)]
    beats_us = heartbeats.of_silences(silent_us, np.minimum(next_us, (silent_us // DAY_US + 1) * DAY_US), every_us)
    days = (beats_us // DAY_US).astype("int32")
    return pa.table(
        [beats_us, beats_us - every_us, days],
        schema=pa.schema([("tick", pa.int64()), ("newest_start", pa.int64()), ("arrival_date", pa.int32())]),
    ).cast(STEPS)
