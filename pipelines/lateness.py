"""Events too late for at least one of their windows, in closed form: whole arrays, no kernel (semantics §1 and §3).

An event misses a window when the watermark before its tick had reached the window's end + allowed lateness. Watermarks
rise and ends do not fall, so what an event misses is a first stretch of its windows. One that is too long for spanning
windows misses all that it meets.
"""

from typing import NamedTuple

import numpy as np

from kernels.replay import PassTicks, ReplayRules
from pipelines.seen_times import SeenTimes
from pipelines.window_index import MICROSECOND, window_index
from schemas.query import Query

FOREVER_US = 1 << 61
"""A lateness of this much or more: no two event times are so far apart, so it stands for all of them."""
BEFORE_ALL_US = -FOREVER_US
"""Newest start before the first tick: earlier than every event, and far enough from int64's end to subtract from."""


class Late(NamedTuple):
    """Late events, one entry each. row: place of the event; late_by_us: watermark − end of the first missed window.

    too_long: whether it missed its windows by its length; knows_how_late: whether late_by_us says anything: not if it
    meets no window, or if there was no watermark yet, as is always so with a lateness beyond all times.
    """

    row: np.ndarray
    first_missed_us: np.ndarray
    last_missed_us: np.ndarray
    windows_missed: np.ndarray
    late_by_us: np.ndarray
    too_long: np.ndarray
    knows_how_late: np.ndarray

    @classmethod
    def of(cls, row: np.ndarray, first_us: np.ndarray, last_us: np.ndarray, windows: np.ndarray,
           late_by_us: np.ndarray) -> "Late":
        """Events that were too late: all that they missed is known."""
        return cls(row, first_us, last_us, windows, late_by_us, np.zeros(len(row), bool), np.ones(len(row), bool))

    @classmethod
    def of_nothing(cls) -> "Late":
        """No event is late."""
        return cls.of(*[np.empty(0, dtype=np.int64)] * 5)


def watermark_before(arrival_us: np.ndarray, ticks: PassTicks, lateness_us: int) -> np.ndarray:
    """The watermark before each event's own tick."""
    newest = np.concatenate(([BEFORE_ALL_US], ticks.newest_start_us))
    return newest[np.searchsorted(ticks.tick_us, arrival_us, side="left")] - lateness_us


def late_in_fixed_windows(start_us: np.ndarray, arrival_us: np.ndarray, query: Query, ticks: PassTicks,
                          rules: ReplayRules) -> Late:
    """Late events of tumbling and sliding windows. O(events · log ticks)."""
    watermark = watermark_before(arrival_us, ticks, rules.lateness_us)
    index = window_index(query.window, start_us)
    first = index.first_open(start_us)
    last = np.minimum(index.last_started(start_us), index.first_open(watermark - rules.allowed_us) - 1)
    row = np.flatnonzero(first <= last)
    first, last = first[row], last[row]
    return Late.of(row, index.starts(first), index.starts(last), last - first + 1, watermark[row] - index.ends(first))


def late_in_spanning_windows(interval: tuple[np.ndarray, np.ndarray], arrival_us: np.ndarray, query: Query,
                             ticks: PassTicks, rules: ReplayRules) -> Late:
    """Late events of spanning windows, and those that are too long for any. O(events · log ticks).

    interval: start_us and end_us. An event's windows are those that end after its start and start before its end.
    """
    start_us, end_us = interval[0], np.maximum(interval[1], interval[0] + 1)
    watermark = watermark_before(arrival_us, ticks, rules.lateness_us)
    index = window_index(query.window, start_us)
    too_long = interval[1] - start_us > query.window.longest // MICROSECOND
    first, last = index.first_open(start_us), index.last_started(end_us - 1)
    missed = np.minimum(last, index.first_open(watermark - rules.allowed_us) - 1)
    last = np.where(too_long, last, missed)
    row = np.flatnonzero(too_long | (first <= last))
    first, last, too_long, watermark = first[row], last[row], too_long[row], watermark[row]
    windows = np.maximum(last - first + 1, 0)
    knows = (windows > 0) & (watermark > BEFORE_ALL_US - rules.lateness_us) & (rules.lateness_us < FOREVER_US)
    return Late(row, index.starts(first), index.starts(last), windows, watermark - index.ends(first), too_long, knows)


def late_in_rolling_windows(number: np.ndarray, start_us: np.ndarray, arrival_us: np.ndarray, query: Query,
                            ticks: PassTicks, rules: ReplayRules) -> Late:
    """Late events of rolling windows; `number` is each event's key. O(events · log events).

    The windows of an event are those of the times in [start, start + size) that the key has seen by the event's own
    tick, whether or not the event that brought them was too late itself: its own is the first of them.
    """
    size_us = query.window.size // MICROSECOND
    watermark = watermark_before(arrival_us, ticks, rules.lateness_us)
    reached = watermark - rules.allowed_us  # windows with end ≤ reached are missed, that is times < reached
    row = np.flatnonzero(start_us < reached)
    if len(row) == 0:
        return Late.of_nothing()
    until = np.minimum(start_us + size_us, reached)[row]
    seen = SeenTimes(number, start_us, arrival_us)
    missed, last = seen.between(number[row], start_us[row], until, arrival_us[row])
    to_start = 1 - size_us
    return Late.of(row, start_us[row] + to_start, last + to_start, missed, watermark[row] - (start_us[row] + 1))
