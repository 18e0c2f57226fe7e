"""Calendar windows, the tumbling and sliding ones of a time zone: days run from a local time of day to the next,
mostly midnight, 23, 24 or 25 hours (semantics §2).

Windows start at the cuts of the days: j·slide of elapsed time behind the day's start while that is inside the day,
or, for a slide of whole days, at the starts of the days origin + i·slide. A window of n whole days that starts e behind
the start of day D ends e behind that of D + n, at most at the end of that day. A window of a part of a day
ends as many cuts on as slides fit into its size, and the rest of the size after that, at most at the next cut; if
the slide is whole days, it ends after its size, at most at the end of its day. Window 0 is the first cut given.

    day                 0          1          2            size 12 h, slide 6 h
    day starts          0 h        24 h       47 h         a day of 23 hours
    cuts before it      0          4          8            window 5: [30 h, 42 h), window 7: [42 h, 53 h)
"""

from typing import NamedTuple

import numpy as np

from windrow.kernels.bounds import Bounds, KernelWindow, made_window, pane_around
from windrow.kernels.runtime.bisection import place_above, searches
from windrow.kernels.runtime.fields import Code, Count, Microseconds, Pointer
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.tables import lazy_table
from windrow.schemas.errors import BadInput, WrongParameter

DAY_US = 86_400_000_000
WHOLE_DAYS, CONSECUTIVE_CUTS, ELAPSED = 0, 1, 2


class Zone(NamedTuple):
    """The days of a calendar window.

    day_starts_us: int64[days + 1], never falling: starts of consecutive local days as UTC microseconds. A day that the
        zone left out has no length. The days must reach from the day of the earliest event minus the window's size (a
        day for sizes below a day) to two days after the day of the latest event plus the size; the replay refuses
        events that they don't cover.
    days_after_origin: local date of day_starts_us[0] minus the origin's local date, in days (may be negative)
    """

    day_starts_us: np.ndarray
    days_after_origin: int


class CalendarWindow(KernelWindow):
    """day_starts: one more than days; cuts: of all days before each day, and of all; end_length: days, cuts or µs;
    end_rest: of the size, behind the cuts; most_open: windows that one time can lie in."""

    slide: Microseconds
    day_starts: Pointer(Microseconds)
    days: Count
    cuts: Pointer(Count)
    end_kind: Code
    end_length: Count
    end_rest: Microseconds
    most_open: Count


@inner
def _day_of_cut(window, number):
    return min(place_above(window.cuts, 0, window.days + 1, number) - 1, window.days - 1)


@inner
def _day_start(window, day):
    return window.day_starts[min(day, window.days)]


@inner
def start(window: CalendarWindow, number):
    not_inlined()
    day = _day_of_cut(window, number)
    return _day_start(window, day) + (number - window.cuts[day]) * window.slide


@inner
def _cut(window, number):
    """Start of a window, the last day start given for those after all."""
    return start(window, number) if number < window.cuts[window.days] else _day_start(window, window.days)


@inner
def end(window: CalendarWindow, number):
    not_inlined()
    day = _day_of_cut(window, number)
    begin = start(window, number)
    length = window.end_length
    if window.end_kind == WHOLE_DAYS:
        elapsed = begin - _day_start(window, day)
        return min(
            _day_start(window, day + length) + elapsed, _day_start(window, day + length + (1 if elapsed > 0 else 0))
        )
    if window.end_kind == CONSECUTIVE_CUTS:
        later = _cut(window, number + length) + window.end_rest
        return min(later, _cut(window, number + length + 1)) if window.end_rest > 0 else later
    return min(begin + length, _day_start(window, day + 1))


@inner
def last_start_until(window: CalendarWindow, time):
    """-1 if `time` lies before the first cut."""
    not_inlined()
    day = place_above(window.day_starts, 0, window.days, time) - 1
    if day < 0:
        return -1
    elapsed_cuts = (time - _day_start(window, day)) // window.slide
    return min(window.cuts[day] + elapsed_cuts, window.cuts[day + 1] - 1)


@inner
def _ends_until(window, number, time):
    return end(window, number) <= time


_number_from = searches("calendar", _ends_until).place_from


@inner
def first_end_after(window: CalendarWindow, time):
    """By bisection among the windows that can hold `time`, since ends never fall.
    O(log days + log windows that can hold it)."""
    not_inlined()
    high = min(last_start_until(window, time) + 1, window.cuts[window.days])
    low = max(0, high - window.most_open - 1)
    return _number_from(window, low, high, time)


_bounds = lazy_table(Bounds, "calendar_bounds", start, end, first_end_after, last_start_until, find_pane=pane_around)


def zone_around(window, starts_us: np.ndarray) -> Zone:
    """The local days of the windows of these event times, in µs, and of the windows next to them. O(events + days).
    BadInput where these are no dates."""
    day_starts, days_after_origin = window.days_around(int(starts_us.min()), int(starts_us.max()))
    return Zone(np.asarray(day_starts, dtype=np.int64), days_after_origin)


def calendar_window(size: int, slide: int, zone: Zone, extent: tuple[int, int]) -> CalendarWindow:
    """The struct for events whose times lie in `extent`. BadInput where the zone's days don't cover them;
    WrongParameter for a size or slide, in µs, that neither is whole days nor divides one. O(days)."""
    day_starts = np.ascontiguousarray(zone.day_starts_us, np.int64)
    if len(day_starts) < 2 or (np.diff(day_starts) < 0).any():
        raise BadInput("day starts of a zone must be at least two, and not fall")
    for name, value in (("size", size), ("slide", slide)):
        if value <= 0 or (value % DAY_US and DAY_US % value):
            raise WrongParameter(name, value, "with a zone: whole days, or a part that divides a day (in µs)")
    _require_cover(size, day_starts, extent)
    lengths = np.diff(day_starts)
    kind, length, rest, most_open = _ends(size, slide, lengths)
    return made_window(
        CalendarWindow,
        _bounds(),
        size=size,
        slide=slide,
        day_starts=day_starts,
        days=len(day_starts) - 1,
        cuts=_cuts_before(slide, lengths, zone.days_after_origin),
        end_kind=kind,
        end_length=length,
        end_rest=rest,
        most_open=most_open,
    )


def _require_cover(size: int, day_starts: np.ndarray, extent: tuple[int, int]) -> None:
    days = max(1, -(-size // DAY_US))
    first, last = np.searchsorted(day_starts, extent, "right") - 1
    if extent[0] <= extent[1] and (first < days or last + days + 1 > len(day_starts) - 1):
        raise BadInput(
            f"day starts of the zone cover days {days} to {len(day_starts) - days - 2} of theirs, "
            f"events lie in days "
            f"{first} to {last}; give {days} days more before the first event and {days + 1} after the last"
        )


def _cuts_before(slide_us: int, lengths: np.ndarray, days_after_origin: int) -> np.ndarray:
    if slide_us >= DAY_US:
        cuts = ((days_after_origin + np.arange(len(lengths))) % (slide_us // DAY_US) == 0).astype(np.int64)
    else:
        cuts = -(-lengths // slide_us)
    return np.concatenate(([0], np.cumsum(cuts)))


def _ends(size_us: int, slide_us: int, lengths: np.ndarray) -> tuple[int, int, int, int]:
    """end_kind, end_length, end_rest, most_open."""
    cuts_a_day = -(-int(lengths.max(initial=DAY_US)) // slide_us)
    if size_us % DAY_US == 0:
        return WHOLE_DAYS, size_us // DAY_US, 0, (size_us // DAY_US + 2) * cuts_a_day
    if slide_us < DAY_US:
        return CONSECUTIVE_CUTS, size_us // slide_us, size_us % slide_us, size_us // slide_us + 2
    return ELAPSED, size_us, 0, 1
