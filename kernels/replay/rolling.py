"""Windows at event times: each event time is an entry of a kernel, and a window that ends with it.

size 5, events at 1 and 4, then 3 late     windows 1 and 4 exist; 3 makes window 3, and is new in window 4

Where windows don't hold their own time, as window 4 is [-1, 4), one may be empty: then it has no row.
"""

from functools import cache

from kernels.aggregators._dispatch import FOREVER
from kernels.replay.context import Replay
from kernels.replay.late_times import add_late_time, count_late_times
from kernels.replay.notes import add_to_late_walks, note_changed
from kernels.replay.open_windows import is_open, note_events
from kernels.replay.panes import first_from, is_empty, youngest
from kernels.replay.placement import Placement
from kernels.replay.regular import HELD_ONE_WAY, insert_event
from kernels.replay.stop import must_stop_at
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL, EMIT_WATERMARK
from kernels.replay.walk import walk_to_lower
from kernels.runtime.fields import Microseconds
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.tables import compiled_table
from kernels.states import events_of
from kernels.windows._window import Window, window_end, window_start


class RollingWindow(Window):
    """beyond: how far behind its event time a window ends: 1 if it holds that, 0 if not."""

    beyond: Microseconds


def take(r: Replay, row):
    """Event time u is in the windows u … u + size − 1, or u + 1 … u + size; those that end by the floor are final, and
    those that end by the watermark passed."""
    window = RollingWindow(r.window.address)
    time, size, beyond, clock = r.events.starts[row], window.size, window.beyond, r.clock
    if time + size <= clock.floor:
        return
    first = time if beyond == 1 or first_from(r, r.panes, time) != time else time + 1
    if first == time or is_before_youngest(r, time):
        r.burst_youngest = max(time, r.burst_youngest)
    insert_event(r, time, row)
    if time + beyond <= clock.watermark:
        add_late_time(r.late_times, time, clock.watermark)
        add_to_late_walks(r, time)
        if r.emit == EMIT_WATERMARK:
            last = min(time + size, clock.watermark) - beyond
            note_changed(r, max(first, clock.floor + 1 - beyond), last, row)


@inner
def is_before_youngest(r, time):
    """Whether there is a later time, in whose window this one may be."""
    return youngest(r, r.panes) > time


def close_burst(r: Replay, first, end):
    if r.emit == EMIT_ARRIVAL:
        return _youngest_if_changed(r)
    if r.emit == EMIT_FINAL:
        _note_late_windows(r, first, end)
    return FOREVER


@inner
def _youngest_if_changed(r):
    """The window of the key's youngest time, if the burst changed it and it isn't final."""
    if is_empty(r, r.panes):
        return FOREVER
    number = youngest(r, r.panes)
    is_live = window_end(r.window, number) > r.clock.floor
    return number if is_live and r.burst_youngest >= window_start(r.window, number) else FOREVER


@inner
def _note_late_windows(r, first, end):
    """Emit final: windows that begin to exist after their end was reached note how many events they had then."""
    not_inlined()
    for row in range(first, end):
        if must_stop_at(r.stop, row):
            return
        number = r.events.starts[row]
        if r.clock.floor < window_end(r.window, number) <= r.clock.watermark and not is_open(r, number):
            state = walk_to_lower(r, r.changing, number)
            note_events(r, number, events_of(state) - _late_in(r, number))


def window_from(r: Replay, number):
    return first_from(r, r.panes, number)


def late_events(r: Replay, number, state):
    return _late_in(r, number)


@inner
def _late_in(r, number):
    """Late events of a window that had no row when its end was reached. It may have had events: it exists only since
    its own event time was seen."""
    return count_late_times(r.late_times, window_start(r.window, number), window_end(r.window, number))


OPERATIONS = {"take": take, "close_burst": close_burst, "window_from": window_from, "late_events": late_events}


@cache
def rolling_placement() -> Placement:
    """Events one by one."""
    return compiled_table(Placement, "rolling_placement", OPERATIONS | HELD_ONE_WAY)
