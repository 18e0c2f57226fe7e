"""Rolling windows of a key whose events all come in time, which is before the watermark passes their own time.

    arrive   3  1  4  4 | watermark 5        window 1: a    window 3: ab    window 4: abcd
    each window has one row, at the tick at which the watermark passes its end (emit final: its end + allowed lateness)

Why one row is all: an event of time t is in the windows t … t + size − 1. None of them was passed when it came, so it
is late for none, none is revised, and when the watermark does pass window u everything up to u is there. The order in
which the events came then shows nowhere but among equal times: the windows can be made from the events in order of
time, tens of nanoseconds each (kernels/per_event/rolling.py). With emit arrival rows come while events are missing.
"""

from functools import cache

import numpy as np

from kernels.aggregators._dispatch import PointKernel
from kernels.per_event.context import PerEvent, folded
from kernels.per_event.in_order import take_windows
from kernels.per_event.rolling import create_windows, destroy_windows, ends_window, start_rolling
from kernels.replay.clock import pass_step
from kernels.replay.context import Replay
from kernels.replay.placement import WindowLogic
from kernels.replay.rows import FINAL, ON_TIME, append_row, write_outputs
from kernels.replay.stop import must_stop
from kernels.replay.types import EMIT_FINAL
from kernels.runtime.bisection import gallop
from kernels.runtime.fields import Byte, Count, Microseconds, Place, Pointer
from kernels.runtime.memory import entry, inner, not_inlined
from kernels.runtime.struct import Struct
from kernels.runtime.tables import compiled_table


class Arrivals(Struct):
    """The events of all keys as they arrive, the staircase of the watermark, and a flag for each key."""

    keys: Count
    key_offsets: Pointer(Place)
    starts: Pointer(Microseconds)
    arrivals: Pointer(Microseconds)
    ticks: Pointer(Microseconds)
    marks: Pointer(Microseconds)
    steps: Count
    in_time: Pointer(Byte("1: in time"))


@entry
def find_keys_in_time(arrivals):
    """Set for each key whether its events all come in time. O(events + keys · log steps)."""
    arrivals = Arrivals(arrivals)
    for key in range(arrivals.keys):
        is_in_time = _comes_in_time(arrivals, arrivals.key_offsets[key], arrivals.key_offsets[key + 1])
        arrivals.in_time[key] = 1 if is_in_time else 0


def keys_in_time(key_offsets, starts, arrivals, ticks, marks) -> np.ndarray:
    """Whether each key's events all come in time: arrays of int64, the last two of the staircase."""
    in_time = np.zeros(len(key_offsets) - 1, np.bool_)
    made = Arrivals.make(
        keys=len(in_time),
        key_offsets=key_offsets,
        starts=starts,
        arrivals=arrivals,
        ticks=ticks,
        marks=marks,
        steps=len(ticks),
        in_time=in_time,
    )
    find_keys_in_time(made.address)
    return in_time


@inner
def _comes_in_time(arrivals, first, end):
    step = 0
    for row in range(first, end):
        tick = arrivals.arrivals[row]
        if step < arrivals.steps and arrivals.ticks[step] < tick:
            step = gallop(arrivals.ticks, step, arrivals.steps, tick)
        if step > 0 and arrivals.starts[row] < arrivals.marks[step - 1]:
            return False
    return True


def create(plan, unused, unused_too):
    return create_windows(plan).address


def destroy(windows: PerEvent):
    destroy_windows(windows)


def reset(windows):
    """Each key starts anew."""


@cache
def rolling_in_time() -> PointKernel:
    """What keeps such a key's windows: it holds no entries, so that nothing else can be asked of it."""
    return compiled_table(PointKernel, "rolling_in_time", {"create": create, "destroy": destroy, "reset": reset})


def start_key(r):
    """There is no clock to start: everything is known."""


def take_run(r: Replay, first, end):
    """All events of the key, and all its rows."""
    windows, step = PerEvent(r.panes), 0
    windows.size, windows.events = r.window.size, r.events.columns
    start_rolling(windows, r.events.starts, first, end, (r.kernels.ascending, r.kernels.rows))
    while step < r.clock.steps and windows.stacks.next < windows.stacks.end and not must_stop(r.stop):
        entry = windows.stacks.next
        step = _make_rows(r, windows, entry, take_windows(windows), step)
    return end


@inner
def _make_rows(r, windows, first, entries, step):
    """The rows of the windows that end with some entries from `first` on, until one isn't passed. Returns the step."""
    not_inlined()
    allowed = r.clock.allowed if r.emit == EMIT_FINAL else 0
    for place in range(entries):
        if ends_window(windows, first + place):
            time = windows.stacks.times[first + place]
            step = pass_step(r.clock, step, time + 1 + allowed)
            if step == r.clock.steps:
                break
            if r.clock.ticks[step] >= r.rows.kept_from:
                _make_row(r, windows, time, r.clock.ticks[step], folded(windows, place))
    return step


@inner
def _make_row(r, windows, time, tick, state):
    row = append_row(r.rows, r.stop)
    row.key, row.start, row.end, row.number = r.key, time + 1 - windows.size, time + 1, 0
    row.revision, row.firing, row.tick, row.late = 0, FINAL if r.emit == EMIT_FINAL else ON_TIME, tick, 0
    write_outputs(r.rows, row, state)


def advance(r, step):
    """Rows are made when the key is taken."""


@cache
def in_time_logic() -> WindowLogic:
    """All of a key in one run."""
    return compiled_table(WindowLogic, "in_time", {"start_key": start_key, "take_run": take_run, "advance": advance})
