"""Rolling windows of a key whose events all come in time, which is before the watermark passes their own time.

    arrive   3  1  4  4 | watermark 5        window 1: a    window 3: ab    window 4: abcd
    each window has one row, at the tick at which the watermark passes its end (emit final: its end + allowed lateness)

Why one row is all: an event of time t is in the windows t … t + size − 1. None of them was passed when it came, so it
is late for none, none is revised, and when the watermark does pass window u everything up to u is there. The order in
which the events came then shows nowhere but among equal times: the windows can be made from the events in order of
time, tens of nanoseconds each (kernels/per_event/in_order.py). With emit arrival rows come while events are missing.
"""

import numpy as np

from windrow.kernels.aggregators._dispatch import PointKernel
from windrow.kernels.per_event.context import PerEvent, allocate_states, folded, release_states
from windrow.kernels.per_event.in_order import ends_window, start_rolling, take_windows
from windrow.kernels.replay.clock import Clock, pass_step
from windrow.kernels.replay.context import EventsByKey, Replay, WindowLogic
from windrow.kernels.replay.rows import firing_of_pass, make_row
from windrow.kernels.replay.stop import must_stop
from windrow.kernels.replay.types import EventColumns
from windrow.kernels.runtime.bisection import gallop
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import WORD_BYTES, address_of, inner, not_inlined, release
from windrow.kernels.runtime.struct import allocate, words_at
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states.layout import StatePlan


@guarded_entry
def find_keys_in_time(events: EventsByKey, clock: Clock, keys, in_time):
    """Write 0 for each key of which an event comes too late. O(events + keys · log steps)."""
    for key in range(keys):
        step = 0
        for row in range(events.first_of_key[key], events.first_of_key[key + 1]):
            tick = events.arrivals[row]
            if step < clock.steps and clock.ticks[step] < tick:
                step = gallop(clock.ticks, step, clock.steps, tick)
            if step > 0 and events.starts[row] < clock.marks[step - 1]:
                words_at(in_time)[key] = 0
                break


def keys_in_time(columns: EventColumns, ticks: np.ndarray, marks: np.ndarray) -> np.ndarray:
    """1 for each key whose events all come in time, else 0. ticks, marks: the staircase."""
    in_time = np.ones(len(columns.key_offsets) - 1, np.int64)
    times = {"starts": columns.start_us, "arrivals": columns.arrival_us, "first_of_key": columns.key_offsets}
    events, clock = EventsByKey.make(**times), Clock.make(ticks=ticks, marks=marks, steps=len(ticks))
    find_keys_in_time(events.address, clock.address, len(in_time), address_of(in_time))
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
    """Nothing is kept from one event to the next: all are known."""


def take_run(r: Replay, first, end):
    """All events of the key, and all its rows."""
    windows, step = PerEvent(r.structure), 0
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
    for place in range(entries):
        if ends_window(windows, first + place):
            time = windows.stacks.times[first + place]
            step = pass_step(r.clock, step, time + 1 + r.clock.patience)
            if step == r.clock.steps:
                break
            tick = r.clock.ticks[step]
            if tick >= r.rows.kept_from:
                window = (time + 1 - windows.size, time + 1, 0, 0)
                make_row(r, window, firing_of_pass(r), tick, 0, folded(windows, place))
    return step


def advance(r, step):
    """Rows are made when the key is taken."""


in_time_logic = lazy_table(WindowLogic, "in_time", start_key, take_run, advance)
"""All of a key in one run."""
