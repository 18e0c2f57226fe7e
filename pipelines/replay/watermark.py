"""The watermark's staircase: the arrival ticks that raised the newest event start of the whole stream."""

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

from kernels.replay import PassTicks
from pipelines.lake.arrays import TIME
from pipelines.lake.lake import Lake
from schemas.tables import Table


def ticks_of_events(arrival_us: np.ndarray, start_us: np.ndarray) -> PassTicks:
    """The watermark's staircase of events in any order: the ticks that raise the newest start. O(n · log n)."""
    order = np.argsort(arrival_us, kind="stable")
    tick_us, newest_us = arrival_us[order], np.maximum.accumulate(start_us[order])
    ends_tick = np.append(tick_us[1:] != tick_us[:-1], True)[: len(tick_us)]
    tick_us, newest_us = tick_us[ends_tick], newest_us[ends_tick]
    raises = np.append(True, newest_us[1:] > newest_us[:-1])[: len(tick_us)]
    return PassTicks(tick_us[raises], newest_us[raises])


def read_ticks(lake: Lake, passes: Table, before: datetime) -> PassTicks:
    """The stream's staircase of all arrivals before a time, in rising order. O(steps)."""
    rows = lake.read(
        passes.name,
        filters=[("arrival_date", "<=", before.astimezone(UTC).date())],
        columns=["tick", "newest_start"],
    ).sort_by("tick")
    tick_us, newest_us = (rows[name].cast(pa.int64()).to_numpy() for name in ("tick", "newest_start"))
    earlier = tick_us < pa.scalar(before.astimezone(UTC), TIME).value
    return _rising(tick_us[earlier], newest_us[earlier])


def _rising(tick_us: np.ndarray, newest_us: np.ndarray) -> PassTicks:
    # np.maximum.accumulate gives the newest start so far; a step is where that grows.
    so_far = np.maximum.accumulate(newest_us)
    raised = np.ones(len(so_far), bool)
    raised[1:] = so_far[1:] > so_far[:-1]
    return PassTicks(np.ascontiguousarray(tick_us[raised]), np.ascontiguousarray(so_far[raised]))
