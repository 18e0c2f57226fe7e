"""Windows in panes: all events of a stretch of time that the same windows hold are one entry of a kernel.

windows of 15 by 10   [0, 15)  [10, 25)  [20, 35)        panes  [0, 5) [5, 10) [10, 15) [15, 20) [20, 25) …
"""

from kernels.bounds import first_end_after
from kernels.replay.changed import add_to_late_walks, note_live
from kernels.replay.clock import next_tick
from kernels.replay.context import Placement, Replay
from kernels.replay.stop import EVENTS_A_POLL
from kernels.replay.walk import Walk, add_to_walk, walk_to
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.tables import lazy_table
from kernels.states import gather


@inner
def pane_of(r, time):
    """The pane that holds a time; mostly it is the one looked up last."""
    if time < r.pane.low or time >= r.pane.high:
        r.window.find_pane(r.window, time, r.pane)
    return r.pane


@inner
def insert_event(r, time, row):
    not_inlined()
    gather(r.plan, r.state, r.events.columns, row, row + 1)
    r.kernel.insert(r.panes, time, r.state, row)
    add_to_walk(r, r.changing, time)


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
        r.kernel.insert(r.panes, r.pane.low, r.state, -1)
    return row


@inner
def end_of_run(r, ends, first, end):
    """The row behind the events from `first` on that begin and end in one pane, r.pane, before the watermark next
    moves, all of them in time; `first` if that event doesn't. ends: their ends, or starts where they don't last."""
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
    return walk_to(r, walk, number, not r.open.has_states)


regular_placement = lazy_table(Placement, "regular_placement", take, take_run, window_state)
