"""Windows of events that are points in time, held by a kernel of point events.

In panes: all events of a stretch of time that the same windows hold are one entry.

    windows of 15 by 10   [0, 15)  [10, 25)  [20, 35)        panes  [0, 5) [5, 10) [10, 15) [15, 20) [20, 25) …

Rolling windows: each event time is an entry, and a window that ends with it.

    size 5, events at 1 and 4, then 3 late     windows 1 and 4 exist; 3 makes window 3, and is new in window 4

Where windows don't hold their own time, as window 4 is [-1, 4), one may be empty: then it has no row.
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds import first_end_after, window_end, window_start
from windrow.kernels.bounds.rolling import RollingWindow
from windrow.kernels.replay.clock import next_tick
from windrow.kernels.replay.context import Placement, Replay
from windrow.kernels.replay.numbered.changed import add_to_late_walks, note_changed, note_live
from windrow.kernels.replay.numbered.late_times import add_late_time, count_late_times
from windrow.kernels.replay.numbered.open_windows import find_entry, open_entry
from windrow.kernels.replay.numbered.walk import Walk, add_to_walk, walk_to
from windrow.kernels.replay.stop import EVENTS_A_POLL, must_stop_at
from windrow.kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL, EMIT_WATERMARK
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import events_of, gather


@inner
def pane_of(r, time):
    """The pane that holds a time; mostly it is the one looked up last."""
    if time < r.numbered.pane.low or time >= r.numbered.pane.high:
        r.window.find_pane(r.window, time, r.numbered.pane)
    return r.numbered.pane


@inner
def insert_event(r, time, row):
    not_inlined()
    gather(r.plan, r.state, r.events.columns, row, row + 1)
    r.kernel.insert(r.structure, time, r.state, row)
    add_to_walk(r, r.numbered.changing, time)


def take(r: Replay, row):
    time = r.events.starts[row]
    pane = pane_of(r, time)
    if pane.first > pane.last or pane.last_end <= r.clock.floor:
        return
    is_late = pane.first_end <= r.clock.watermark
    if r.plan.is_commutative:
        time = pane.low
    insert_event(r, time, row)
    if is_late:
        add_to_late_walks(r, time)
    first = pane.first
    if pane.first_end <= r.clock.floor:
        first = first_end_after(r.window, r.clock.floor)
    note_live(r, first, pane.last, is_late, row)


def take_run(r: Replay, first, end):
    """Events of one pane before the watermark next moves, all of them in time, change no row yet: so the order among
    them and with their bursts doesn't matter, and one insertion is enough for all."""
    if r.window.find_pane == 0:
        return first
    row = end_of_run(r, r.events.starts, first, end)
    if row > first:
        gather(r.plan, r.state, r.events.columns, first, row)
        r.kernel.insert(r.structure, r.numbered.pane.low, r.state, -1)
    return row


@inner
def end_of_run(r, ends, first, end):
    """The row behind the events from `first` on that begin and end in one pane, the one looked up last, before the
    watermark next moves, all of them in time; `first` if that event doesn't. ends: their ends, or starts where they
    don't last."""
    events = r.events
    pane = pane_of(r, events.starts[first])
    if pane.first > pane.last or pane.first_end <= r.clock.watermark:
        return first
    until, low, high, row = next_tick(r.clock), pane.low, pane.high, first
    end = min(end, first + EVENTS_A_POLL)
    while row < end and events.arrivals[row] <= until and low <= events.starts[row] < high and ends[row] <= high:
        row += 1
    return row


def window_state(r: Replay, walk: Walk, number):
    return walk_to(r, walk, number, not r.numbered.open.has_states)


regular_placement = lazy_table(Placement, "regular_placement", take, take_run, window_state)


def take_rolling(r: Replay, row):
    """Event time u is in the windows u … u + size − 1, or u + 1 … u + size; those that end by the floor are final, and
    those that end by the watermark passed."""
    window = RollingWindow(r.window.address)
    time, size, beyond, clock = r.events.starts[row], window.size, window.beyond, r.clock
    if time + size <= clock.floor:
        return
    first = time if beyond == 1 or r.kernel.first_from(r.structure, time) != time else time + 1
    if first == time or r.kernel.youngest(r.structure) > time:  # or in the window of a later time
        r.numbered.burst_youngest = max(time, r.numbered.burst_youngest)
    insert_event(r, time, row)
    if time + beyond <= clock.watermark:
        add_late_time(r.numbered.late_times, time, clock.watermark)
        add_to_late_walks(r, time)
        if r.emit == EMIT_WATERMARK:
            last = min(time + size, clock.watermark) - beyond
            note_changed(r, max(first, clock.floor + 1 - beyond), last, row)


def close_burst(r: Replay, first, end):
    """With emit arrival the window of the key's youngest time has a row, if the burst changed it and it isn't final."""
    if r.emit == EMIT_FINAL:
        _note_late_windows(r, first, end)
    if r.emit != EMIT_ARRIVAL or r.kernel.is_empty(r.structure) == 1:
        return FOREVER
    number = r.kernel.youngest(r.structure)
    is_live = window_end(r.window, number) > r.clock.floor
    return number if is_live and r.numbered.burst_youngest >= window_start(r.window, number) else FOREVER


@inner
def _note_late_windows(r, first, end):
    """Emit final: windows that begin to exist after their end was reached note how many events they had then."""
    not_inlined()
    for row in range(first, end):
        if must_stop_at(r.stop, row):
            return
        number = r.events.starts[row]
        is_passed = r.clock.floor < window_end(r.window, number) <= r.clock.watermark
        if is_passed and find_entry(r, number).owner != r.key:
            state = walk_to(r, r.numbered.changing, number, True)  # with emit final no states are kept
            open_entry(r, number).events = events_of(state) - late_events(r, number, state)


def window_from(r: Replay, number):
    return r.kernel.first_from(r.structure, number)


@inner
def late_events(r: Replay, number, state):
    """Of a window that had no row when its end was reached. It may have had events: it exists only since its own event
    time was seen."""
    return count_late_times(r.numbered.late_times, window_start(r.window, number), window_end(r.window, number))


rolling_placement = lazy_table(
    Placement, "rolling_placement", close_burst, window_from, late_events, window_state, take=take_rolling
)
