"""The watermark's staircase: the arrival ticks that raised the newest event start of the whole stream."""

from datetime import date

import numpy as np
import pyarrow as pa

from kernels.replay import PassTicks
from pipelines.lake.arrays import TIME
from pipelines.lake.arrival_days import ArrivalDays
from pipelines.lake.lake import Lake

EPOCH_DATE, DAY_US = date(1970, 1, 1), 86_400_000_000


def ticks_of_events(arrival_us: np.ndarray, start_us: np.ndarray) -> PassTicks:
    """The watermark's staircase of events in any order: the ticks that raise the newest start. O(n · log n)."""
    order = np.argsort(arrival_us, kind="stable")
    tick_us, newest_us = arrival_us[order], np.maximum.accumulate(start_us[order])
    ends_tick = np.append(tick_us[1:] != tick_us[:-1], True)[: len(tick_us)]
    tick_us, newest_us = tick_us[ends_tick], newest_us[ends_tick]
    raises = np.append(True, newest_us[1:] > newest_us[:-1])[: len(tick_us)]
    return PassTicks(tick_us[raises], newest_us[raises])


def read_ticks(lake: Lake, passes: tuple[str, int], days: ArrivalDays, first: date, last: date) -> PassTicks:
    """The stream's staircase over the arrival days from `first` to `last`, both included, in rising order.

    passes: name and version of the table of pass ticks; days: what ingest noted of each arrival day at that time. Of
    earlier days it has one step, a microsecond before the first: how long before changes no row. O(steps of these days
    + arrival days).
    """
    of_days = [("arrival_date", ">=", first), ("arrival_date", "<=", last)]
    rows = lake.read(*passes, filters=of_days, columns=["tick", "newest_start"]).sort_by("tick")
    tick_us, newest_us = (rows[name].cast(pa.int64()).to_numpy() for name in ("tick", "newest_start"))
    before = days.newest_start_before(first)
    if before is not None:
        tick_us = np.append(day_start_us(first) - 1, tick_us)
        newest_us = np.append(pa.scalar(before, TIME).value, newest_us)
    return _rising(tick_us, newest_us)


def day_start_us(day: date) -> int:
    """The first microsecond of a day, UTC."""
    return (day - EPOCH_DATE).days * DAY_US


def _rising(tick_us: np.ndarray, newest_us: np.ndarray) -> PassTicks:
    # np.maximum.accumulate gives the newest start so far; a step is where that grows.
    so_far = np.maximum.accumulate(newest_us)
    raised = np.ones(len(so_far), bool)
    raised[1:] = so_far[1:] > so_far[:-1]
    return PassTicks(np.ascontiguousarray(tick_us[raised]), np.ascontiguousarray(so_far[raised]))
