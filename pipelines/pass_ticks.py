"""Pass ticks: the watermark's history, from which `P(E) = min { arrival(e) : start(e) ≥ E + lateness }` is exact.

Each arrival day keeps its own staircase: the arrival ticks that raised the newest event start of that day. It depends
on that day's silver alone, so days can be made in any order; joined and made to rise, they are the stream's staircase.
"""

from datetime import UTC, date, datetime

import duckdb
import numpy as np
import pyarrow as pa

from kernels.replay import PassTicks
from pipelines import lake
from pipelines.arrays import TIME
from pipelines.config import Config
from schemas.stream import Stream
from schemas.tables import pass_table

BEFORE_ALL_US = np.iinfo(np.int64).min


def staircases(database: duckdb.DuckDBPyConnection) -> pa.Table:
    """Rows of `pass_<stream>` for every day of the relation `silver` (arrival_date, arrival, start)."""
    return database.sql("""
        SELECT tick, newest_start, arrival_date
        FROM (SELECT *, max(newest_start) OVER (PARTITION BY arrival_date ORDER BY tick
                                                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest_before
              FROM (SELECT arrival_date, arrival AS tick, max("start") AS newest_start FROM silver GROUP BY ALL))
        WHERE newest_before IS NULL OR newest_start > newest_before
        ORDER BY arrival_date, tick""").to_arrow_table()


def read_ticks(config: Config, stream: Stream, before: datetime, since: date | None = None) -> PassTicks:
    """The stream's staircase of all arrivals before a time, in rising order. O(steps).

    Days before `since` are folded into one first step, whose tick is the least int64: of them only how far they had
    brought the newest start can matter.
    """
    rows = lake.read(config, pass_table(stream).name, filters=[("arrival_date", "<=", before.astimezone(UTC).date())],
                     columns=["tick", "newest_start"]).sort_by("tick")
    tick_us, newest_us = (rows[name].cast(pa.int64()).to_numpy() for name in ("tick", "newest_start"))
    earlier = tick_us < _microseconds(before)
    return _rising(*_folded(tick_us[earlier], newest_us[earlier], since))


def _microseconds(moment: datetime) -> int:
    return pa.scalar(moment.astimezone(UTC), TIME).value


def _folded(tick_us: np.ndarray, newest_us: np.ndarray, since: date | None) -> tuple[np.ndarray, np.ndarray]:
    if since is None:
        return tick_us, newest_us
    first = int(np.searchsorted(tick_us, _microseconds(datetime(since.year, since.month, since.day, tzinfo=UTC))))
    if first == 0:
        return tick_us, newest_us
    return (np.concatenate(([BEFORE_ALL_US], tick_us[first:])),
            np.concatenate(([newest_us[:first].max()], newest_us[first:])))


def _rising(tick_us: np.ndarray, newest_us: np.ndarray) -> PassTicks:
    # np.maximum.accumulate gives the newest start so far; a step is where that grows.
    so_far = np.maximum.accumulate(newest_us)
    raised = np.ones(len(so_far), bool)
    raised[1:] = so_far[1:] > so_far[:-1]
    return PassTicks(np.ascontiguousarray(tick_us[raised]), np.ascontiguousarray(so_far[raised]))
