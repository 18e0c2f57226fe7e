"""Events too late for at least one of their windows, in closed form: whole arrays, no kernel (semantics §1 and §3).

An event misses a window when the watermark before its tick had reached the window's end + allowed lateness. Watermarks
rise and ends do not fall, so what an event misses is a first stretch of its windows.
"""

from typing import NamedTuple

import numpy as np

from kernels.replay import PassTicks, ReplayRules
from pipelines.seen_times import SeenTimes
from pipelines.window_index import MICROSECOND, window_index
from schemas.query import Query

BEFORE_ALL_US = -(1 << 61)
"""Newest start before the first tick: earlier than every event, and far enough from int64's end to subtract from."""


class Late(NamedTuple):
    """Late events, one entry each. row: place of the event; late_by_us: watermark − end of the first missed window."""

    row: np.ndarray
    first_missed_us: np.ndarray
    last_missed_us: np.ndarray
    windows_missed: np.ndarray
    late_by_us: np.ndarray


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
    return Late(row, index.starts(first), index.starts(last), last - first + 1, watermark[row] - index.ends(first))


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
        return Late(row, row, row, row, row)
    until = np.minimum(start_us + size_us, reached)[row]
    seen = SeenTimes(number, start_us, arrival_us)
    missed, last = seen.between(number[row], start_us[row], until, arrival_us[row])
    to_start = 1 - size_us
    return Late(row, start_us[row] + to_start, last + to_start, missed, watermark[row] - (start_us[row] + 1))
