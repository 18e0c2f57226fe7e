"""How many rows some events make at least, before a replay starts: so that one that can't end is refused, not begun.

    events at 0 and 7, windows of 10 by 2:  windows -4 … 0 hold the first, -1 … 3 the second.
    emit watermark: 8 windows, a row each when the watermark passes them.  emit arrival: 5 + 5 rows.

It follows from the bounds of windows, without a kernel. Too few are counted where late events fill a gap that younger
ones left, never too many; what it missed, the budget of rows (replay/rows.py) finds while the replay runs.
"""

from typing import NamedTuple

import numpy as np

from kernels.bounds import KernelWindow, first_end_after, last_start_until
from kernels.replay.clock import FOREVER, NEVER, Clock
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from kernels.runtime.bisection import gallop
from kernels.runtime.fields import Code, Count, Flag, Inline, Microseconds, Pointer, Word
from kernels.runtime.memory import address_of, entry, inner
from kernels.runtime.struct import Struct


class ArrivingEvents(NamedTuple):
    """Events by key and order of arrival; last_us: the last time of each that a window must hold some of; ticks_us and
    marks_us: the watermark from each tick on; most: rows from which on the exact number matters."""

    key_offsets: np.ndarray
    start_us: np.ndarray
    last_us: np.ndarray
    arrival_us: np.ndarray
    ticks_us: np.ndarray
    marks_us: np.ndarray
    emit: int
    allowed_us: int
    most: int


class Stretch(Struct):
    """Windows that are counted: all from low to high, if there are any."""

    low: Word
    high: Word
    is_empty: Flag()


class Counting(Struct):
    """What is counted over, and the windows of the key and of the burst so far."""

    clock: Inline(Clock)
    emit: Code
    starts: Pointer(Microseconds)
    lasts: Pointer(Microseconds)
    arrivals: Pointer(Microseconds)
    first_of_key: Pointer(Count)
    of_key: Inline(Stretch)
    of_burst: Inline(Stretch)


@inner
def _add(stretch, low, high):
    """How many windows of [low, high] are not in the stretch yet; it then reaches over them."""
    if low > high:
        return 0
    if stretch.is_empty:
        stretch.is_empty = False
        stretch.low, stretch.high = low, high
        return high - low + 1
    below = max(0, min(high, stretch.low - 1) - low + 1)
    above = max(0, high - max(low, stretch.high + 1) + 1)
    stretch.low, stretch.high = min(low, stretch.low), max(high, stretch.high)
    return below + above


@inner
def _rows_of_event(window, counting, row):
    clock = counting.clock
    mark = NEVER if clock.step == 0 else clock.marks[clock.step - 1]
    floor = mark if mark in (NEVER, FOREVER) else mark - clock.allowed
    first, last = first_end_after(window, counting.starts[row]), last_start_until(window, counting.lasts[row])
    if floor == FOREVER:
        return 0
    first = max(first, first_end_after(window, floor)) if floor != NEVER else first
    if counting.emit == EMIT_ARRIVAL:
        return _add(counting.of_burst, first, last)
    passed = first
    if mark != NEVER and counting.emit != EMIT_FINAL:
        passed = max(first, first_end_after(window, mark))
    rows = _add(counting.of_burst, first, min(last, passed - 1))
    return rows + _add(counting.of_key, passed, min(last, _last_reached(window, counting)))


@inner
def _last_reached(window, counting):
    """Number of the last window that has its row by the last step."""
    clock = counting.clock
    if clock.steps == 0:
        return NEVER
    mark = clock.marks[clock.steps - 1]
    if mark == FOREVER:
        return FOREVER
    return first_end_after(window, mark - clock.allowed if counting.emit == EMIT_FINAL else mark) - 1


@entry
def count_rows(window, counting, keys):
    """At least so many rows are made; both are addresses."""
    window, counting = KernelWindow(window), Counting(counting)
    rows = 0
    for key in range(keys):
        counting.clock.step = 0
        counting.of_key.is_empty = True
        tick = NEVER
        for row in range(counting.first_of_key[key], counting.first_of_key[key + 1]):
            if counting.arrivals[row] != tick:
                tick = counting.arrivals[row]
                counting.of_burst.is_empty = True
                counting.clock.step = gallop(counting.clock.ticks, counting.clock.step, counting.clock.steps, tick)
            rows += _rows_of_event(window, counting, row)
    return rows


def expected_rows(window: KernelWindow, events: ArrivingEvents, reached_only: bool = True) -> int:
    """At least so many rows; only an upper limit of it where even that is below `most`. O(1), else O(events).
    reached_only: without windows that the watermark doesn't reach."""
    if len(events.start_us) == 0:
        return 0
    low_us, high_us = int(events.start_us.min()), int(events.last_us.max())
    first, last = window.first_end_after(window, low_us), window.last_start_until(window, high_us)
    # Over all times, for each key, or for each event where each may have rows of its own.
    most = max(0, last - first + 1)
    most *= len(events.start_us) if events.emit == EMIT_ARRIVAL else len(events.key_offsets) - 1
    if most <= events.most:
        return most
    rows = _counted(window, events, events.emit, events.marks_us)
    if reached_only:
        return rows
    never_us = np.full(len(events.marks_us), NEVER)  # watermarks that don't move until the last step
    never_us[-1:] = FOREVER
    return max(rows, _counted(window, events, EMIT_FINAL, never_us))


def _counted(window: KernelWindow, events: ArrivingEvents, emit: int, marks_us: np.ndarray) -> int:
    counting = Counting.make(
        emit=emit,
        starts=events.start_us,
        lasts=events.last_us,
        arrivals=events.arrival_us,
        first_of_key=events.key_offsets,
    )
    clock = counting.clock  # its arrays live as long as `events` and `marks_us`
    clock.ticks, clock.marks = address_of(events.ticks_us), address_of(marks_us)
    clock.steps, clock.allowed = len(events.ticks_us), events.allowed_us
    return int(count_rows(window.address, counting.address, len(events.key_offsets) - 1))
