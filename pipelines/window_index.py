"""Windows by number, in closed form over whole arrays: which have started by a time, which are still open after it.

Numbers follow the order of the windows' starts, and ends never fall with them. So the windows that hold a time t are
`first_open(t) … last_started(t)`, and those that end by W are the ones before `first_open(W)`. All times are int64 µs.
"""

from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple, Protocol

import numpy as np

from schemas.errors import BadInput
from schemas.local_time import local_midnights_us
from schemas.windows import EPOCH, Sliding, Tumbling

DAY_US = 86_400_000_000
MICROSECOND = timedelta(microseconds=1)


class WindowIndex(Protocol):
    """Tumbling or sliding windows by number."""

    def last_started(self, times_us: np.ndarray) -> np.ndarray:
        """The last window with start ≤ time."""

    def first_open(self, times_us: np.ndarray) -> np.ndarray:
        """The first window with end > time."""

    def starts(self, numbers: np.ndarray) -> np.ndarray:
        """Start of each window."""

    def ends(self, numbers: np.ndarray) -> np.ndarray:
        """End of each window."""


class RegularWindows(NamedTuple):
    """`[origin + i·slide, + size)` for every integer i."""

    size_us: int
    slide_us: int
    origin_us: int

    def last_started(self, times_us: np.ndarray) -> np.ndarray:
        return (times_us - self.origin_us) // self.slide_us

    def first_open(self, times_us: np.ndarray) -> np.ndarray:
        return (times_us - self.origin_us - self.size_us) // self.slide_us + 1

    def starts(self, numbers: np.ndarray) -> np.ndarray:
        return self.origin_us + numbers * self.slide_us

    def ends(self, numbers: np.ndarray) -> np.ndarray:
        return self.starts(numbers) + self.size_us


class Days(NamedTuple):
    """Consecutive local days.

    midnights_us: int64[days + 1], never falling; first: days from the window's origin to the first of them
    """

    midnights_us: np.ndarray
    first: int

    def of(self, times_us: np.ndarray) -> np.ndarray:
        """Place of the day that holds each time, the nearest one beyond either end."""
        places = np.searchsorted(self.midnights_us, times_us, side="right") - 1
        return np.clip(places, 0, len(self.midnights_us) - 2)


class DayWindows(NamedTuple):
    """Windows from the midnight of every `slide_days`-th day on; a part of a day ends with its day at the latest."""

    days: Days
    size_us: int
    slide_days: int

    def last_started(self, times_us: np.ndarray) -> np.ndarray:
        return (self.days.of(times_us) + self.days.first) // self.slide_days

    def first_open(self, times_us: np.ndarray) -> np.ndarray:
        place = self.days.of(times_us)
        if self.size_us >= DAY_US:
            first_day = place - self.size_us // DAY_US + 1
        else:
            first_day = place + (times_us - self.days.midnights_us[place] >= self.size_us)
        return -((-first_day - self.days.first) // self.slide_days)

    def starts(self, numbers: np.ndarray) -> np.ndarray:
        return self.days.midnights_us[self._place(numbers)]

    def ends(self, numbers: np.ndarray) -> np.ndarray:
        place = self._place(numbers)
        if self.size_us >= DAY_US:
            return self.days.midnights_us[place + self.size_us // DAY_US]
        return np.minimum(self.days.midnights_us[place] + self.size_us, self.days.midnights_us[place + 1])

    def _place(self, numbers: np.ndarray) -> np.ndarray:
        return numbers * self.slide_days - self.days.first


class PartWindows(NamedTuple):
    """Windows that start at every `slide_us` from each midnight on: at cuts, numbered over all days.

    Whole days of size: the end is as long after its midnight as the start, but not beyond that day. Parts of a day: the
    end is as many cuts on as slides fit into the size, and the rest of the size from there, but not beyond the next
    cut.
    cuts_before: int64[days + 1], the number of each day's first cut
    """

    days: Days
    size_us: int
    slide_us: int
    cuts_before: np.ndarray

    def last_started(self, times_us: np.ndarray) -> np.ndarray:
        place = self.days.of(times_us)
        return self.cuts_before[place] + (times_us - self.days.midnights_us[place]) // self.slide_us

    def first_open(self, times_us: np.ndarray) -> np.ndarray:
        if self.size_us < DAY_US:
            steps, rest_us = divmod(self.size_us, self.slide_us)
            return np.maximum(self.last_started(times_us), self.last_started(times_us - rest_us) + 1) - steps
        place = self.days.of(times_us)
        passed = (times_us - self.days.midnights_us[place]) // self.slide_us + 1
        earlier = np.maximum(place - self.size_us // DAY_US, 0)
        return np.minimum(self.cuts_before[earlier] + passed, self.cuts_before[earlier + 1])

    def starts(self, numbers: np.ndarray) -> np.ndarray:
        place, offset_us = self._place(numbers)
        return self.days.midnights_us[place] + offset_us

    def ends(self, numbers: np.ndarray) -> np.ndarray:
        if self.size_us < DAY_US:
            steps, rest_us = divmod(self.size_us, self.slide_us)
            return np.minimum(self.starts(numbers + steps) + rest_us, self.starts(numbers + steps + 1))
        place, offset_us = self._place(numbers)
        later = place + self.size_us // DAY_US
        return np.minimum(self.days.midnights_us[later] + offset_us, self.days.midnights_us[later + 1])

    def _place(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        place = np.searchsorted(self.cuts_before, numbers, side="right") - 1
        return place, (numbers - self.cuts_before[place]) * self.slide_us


def slide_of(window: Tumbling | Sliding) -> timedelta:
    """A tumbling window slides by its size."""
    return getattr(window, "slide", window.size)


def origin_us(window: Tumbling | Sliding) -> int:
    """Start of window 0 of windows without a zone."""
    return ((window.origin or EPOCH) - EPOCH) // MICROSECOND


def days_around(window: Tumbling | Sliding, starts_us: np.ndarray) -> Days:
    """The local days of the windows of these event times and of the windows next to them, with three to spare."""
    spare = (window.size + slide_of(window)) // timedelta(days=1) + 3
    try:
        first, last = (_utc_date(each) + days * timedelta(days=1)
                       for each, days in ((starts_us.min(), -spare), (starts_us.max(), spare)))
        midnights = local_midnights_us(window.zone, first, last)
    except (OverflowError, ValueError):
        raise BadInput(f"windows of a time zone need local dates from year 1 to 9999, {spare} days around each event; "
                       "leave out the events near those years, or use a window without a zone") from None
    return Days(np.asarray(midnights, dtype=np.int64), (first - (window.origin or EPOCH.date())).days)


def _utc_date(time_us: np.int64) -> date:
    return (datetime(1970, 1, 1, tzinfo=UTC) + int(time_us) * MICROSECOND).date()


def window_index(window: Tumbling | Sliding, starts_us: np.ndarray) -> WindowIndex:
    """The windows around some event times, at least one."""
    size_us, slide_us = window.size // MICROSECOND, slide_of(window) // MICROSECOND
    if window.zone is None:
        return RegularWindows(size_us, slide_us, origin_us(window))
    days = days_around(window, starts_us)
    if slide_us >= DAY_US:
        return DayWindows(days, size_us, slide_us // DAY_US)
    cuts = -(-np.diff(days.midnights_us) // slide_us)
    return PartWindows(days, size_us, slide_us, np.concatenate(([0], np.cumsum(cuts))))
