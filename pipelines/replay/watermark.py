"""The watermark's staircase: the arrival ticks that raised the newest event start of the whole stream."""

from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa

from kernels.replay import PassTicks
from pipelines.lake.arrays import TIME
from pipelines.lake.lake import Lake
from schemas.tables import Table

BEFORE_ALL_US = np.iinfo(np.int64).min


def ticks_of_events(arrival_us: np.ndarray, start_us: np.ndarray) -> PassTicks:
    """The watermark's staircase of events in any order: the ticks that raise the newest start. O(n · log n)."""
    order = np.argsort(arrival_us, kind="stable")
    tick_us, newest_us = arrival_us[order], np.maximum.accumulate(start_us[order])
    ends_tick = np.append(tick_us[1:] != tick_us[:-1], True)[: len(tick_us)]
    tick_us, newest_us = tick_us[ends_tick], newest_us[ends_tick]
    raises = np.append(True, newest_us[1:] > newest_us[:-1])[: len(tick_us)]
    return PassTicks(tick_us[raises], newest_us[raises])


def read_ticks(lake: Lake, passes: Table, before: datetime, since: date | None = None) -> PassTicks:
    """The stream's staircase of all arrivals before a time, in rising order. O(steps).

    Days before `since` are folded into one first step, whose tick is the least int64: of them only how far they had
    brought the newest start can matter.
    """
    rows = lake.read(
        passes.name,
        filters=[("arrival_date", "<=", before.astimezone(UTC).date())],
        columns=["tick", "newest_start"],
    ).sort_by("tick")
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
    return (
        np.concatenate(([BEFORE_ALL_US], tick_us[first:])),
        np.concatenate(([newest_us[:first].max()], newest_us[first:])),
    )


def _rising(tick_us: np.ndarray, newest_us: np.ndarray) -> PassTicks:
    # np.maximum.accumulate gives the newest start so far; a step is where that grows.
    so_far = np.maximum.accumulate(newest_us)
    raised = np.ones(len(so_far), bool)
    raised[1:] = so_far[1:] > so_far[:-1]
    return PassTicks(np.ascontiguousarray(tick_us[raised]), np.ascontiguousarray(so_far[raised]))
