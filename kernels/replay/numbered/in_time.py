"""Rolling windows of a key whose events all come in time, which is before the watermark passes their own time.

    arrive   3  1  4  4 | watermark 5        window 1: a    window 3: ab    window 4: abcd
    each window has one row, at the tick at which the watermark passes its end (emit final: its end + allowed lateness)

Why one row is all: an event of time t is in the windows t … t + size − 1. None of them was passed when it came, so it
is late for none, none is revised, and when the watermark does pass window u everything up to u is there. The order in
which the events came then shows nowhere but among equal times: the windows can be made from the events in order of
time, tens of nanoseconds each (kernels/per_event/in_order.py). With emit arrival rows come while events are missing.
"""

import numpy as np

from kernels.aggregators._dispatch import PointKernel
from kernels.per_event.context import PerEvent, allocate_states, folded, release_states
from kernels.per_event.in_order import ends_window, start_rolling, take_windows
from kernels.replay.clock import pass_step
from kernels.replay.context import Replay, WindowLogic
from kernels.replay.rows import FINAL, ON_TIME, append_row, write_outputs
from kernels.replay.stop import must_stop
from kernels.replay.types import EMIT_FINAL
from kernels.runtime.bisection import gallop
from kernels.runtime.fields import Byte, Count, Microseconds, Place, Pointer
from kernels.runtime.memory import WORD_BYTES, entry, inner, not_inlined, release
from kernels.runtime.struct import Struct, allocate
from kernels.runtime.tables import lazy_table
from kernels.states.layout import StatePlan


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
    """Clear the flag of each key of which an event comes too late. O(events + keys · log steps)."""
    arrivals = Arrivals(arrivals)
    for key in range(arrivals.keys):
        step = 0
        for row in range(arrivals.key_offsets[key], arrivals.key_offsets[key + 1]):
            tick = arrivals.arrivals[row]
            if step < arrivals.steps and arrivals.ticks[step] < tick:
                step = gallop(arrivals.ticks, step, arrivals.steps, tick)
            if step > 0 and arrivals.starts[row] < arrivals.marks[step - 1]:
                arrivals.in_time[key] = 0
                break


def keys_in_time(key_offsets, starts, arrivals, ticks, marks) -> np.ndarray:
    """Whether each key's events all come in time: arrays of int64, the last two of the staircase."""
    in_time = np.ones(len(key_offsets) - 1, np.bool_)
    columns = {"key_offsets": key_offsets, "starts": starts, "arrivals": arrivals, "ticks": ticks, "marks": marks}
    made = Arrivals.make(keys=len(in_time), steps=len(ticks), in_time=in_time, **columns)
    find_keys_in_time(made.address)
    return in_time


def create(plan: StatePlan, unused, unused_too):
    windows = allocate(PerEvent)
    windows.plan, windows.state_bytes = plan, WORD_BYTES * plan.state_words
    allocate_states(windows)
    return windows.address


def destroy(windows: PerEvent):
    release_states(windows)
    release(windows.address)


def reset(windows):
    """Each key starts anew."""


rolling_in_time = lazy_table(PointKernel, "rolling_in_time", create, destroy, reset)
"""What keeps such a key's windows: it holds no entries, so that nothing else can be asked of it."""


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
    allowed, firing = (r.clock.allowed, FINAL) if r.emit == EMIT_FINAL else (0, ON_TIME)
    for place in range(entries):
        if ends_window(windows, first + place):
            time = windows.stacks.times[first + place]
            step = pass_step(r.clock, step, time + 1 + allowed)
            if step == r.clock.steps:
                break
            tick = r.clock.ticks[step]
            if tick >= r.rows.kept_from:
                row = append_row(r, (time + 1 - windows.size, time + 1, 0), 0, firing, tick)
                write_outputs(r.rows, row, folded(windows, place))
    return step


def advance(r, step):
    """Rows are made when the key is taken."""


in_time_logic = lazy_table(WindowLogic, "in_time", start_key, take_run, advance)
"""All of a key in one run."""
