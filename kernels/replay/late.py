"""Events too late for at least one of their windows, by the closed forms of the window's bounds (semantics §1, §3).

An event misses a window when the watermark before its tick had reached the window's end + allowed lateness. Watermarks
rise and ends do not fall, so what an event misses is a first stretch of its windows. One that is too long for spanning
windows misses all that it meets.
"""

from typing import NamedTuple

import numpy as np

from windrow.kernels.bounds import KernelWindow, each_of
from windrow.kernels.columns import LIMIT_US
from windrow.kernels.replay.types import PassTicks, ReplayRules

FOREVER_US = LIMIT_US
"""A lateness of this much or more: no two event times are so far apart, so it stands for all of them."""
BEFORE_ALL_US = -FOREVER_US
"""Newest start before the first tick: earlier than every event, and far enough from int64's end to subtract from."""


class Arrived(NamedTuple):
    """Events by key and order of arrival, and the watermark before each one's tick.

    reached_us: that − allowed lateness: windows that end by it are missed; lateness_us: of the query
    """

    key: np.ndarray
    start_us: np.ndarray
    end_us: np.ndarray
    arrival_us: np.ndarray
    watermark_us: np.ndarray
    reached_us: np.ndarray
    lateness_us: int

    @classmethod
    def of(cls, key, start_us, end_us, arrival_us, ticks: PassTicks, rules: ReplayRules) -> "Arrived":
        """Events of keys, by number, with the stream's pass ticks. O(events · log ticks)."""
        newest = np.concatenate(([BEFORE_ALL_US], ticks.newest_start_us))
        watermark_us = newest[np.searchsorted(ticks.tick_us, arrival_us, side="left")] - rules.lateness_us
        reached_us = watermark_us - rules.allowed_us
        return cls(key, start_us, end_us, arrival_us, watermark_us, reached_us, rules.lateness_us)


class Late(NamedTuple):
    """Late events, one entry each. row: place of the event; late_by_us: watermark − end of the first missed window.

    too_long: whether it missed its windows by its length; knows_windows: whether it is known which they are;
    knows_how_late: whether late_by_us says anything: not if it
    meets no window, or if there was no watermark yet, as is always so with a lateness beyond all times.
    """

    row: np.ndarray
    first_missed_us: np.ndarray
    last_missed_us: np.ndarray
    windows_missed: np.ndarray
    late_by_us: np.ndarray
    too_long: np.ndarray
    knows_how_late: np.ndarray
    knows_windows: bool = True

    @classmethod
    def of(
        cls, row: np.ndarray, first_us: np.ndarray, last_us: np.ndarray, windows: np.ndarray, late_by_us: np.ndarray
    ) -> "Late":
        """Events that were too late: all that they missed is known."""
        return cls(row, first_us, last_us, windows, late_by_us, np.zeros(len(row), bool), np.ones(len(row), bool))

    @classmethod
    def of_nothing(cls) -> "Late":
        return cls.of(*[np.empty(0, dtype=np.int64)] * 5)


def late_in_numbered_windows(window: KernelWindow, arrived: Arrived, last_us: np.ndarray, too_long: np.ndarray) -> Late:
    """Late events of windows whose bounds say which hold an event; last_us: the last time of each. O(events)."""
    first, last = each_of(window, "first_end_after", arrived.start_us), each_of(window, "last_start_until", last_us)
    reached = each_of(window, "first_end_after", arrived.reached_us) - 1
    missed = np.maximum(0, np.where(too_long, last, np.minimum(last, reached)) - first + 1)
    row = np.flatnonzero(too_long | (missed > 0))
    missed, first, watermark_us, meets = missed[row], first[row], arrived.watermark_us[row], missed[row] > 0
    first_start, first_end, last_start = np.zeros((3, len(row)), np.int64)
    first_start[meets] = each_of(window, "start", first[meets])
    first_end[meets] = each_of(window, "end", first[meets])
    last_start[meets] = each_of(window, "start", (first + missed - 1)[meets])
    late_by_us = np.where(meets, watermark_us - first_end, 0)
    knows = meets & (watermark_us > BEFORE_ALL_US - arrived.lateness_us) & (arrived.lateness_us < FOREVER_US)
    knows |= ~too_long[row]  # an event that is too late has passed a watermark
    return Late(row, first_start, last_start, missed, late_by_us, too_long[row], knows)
