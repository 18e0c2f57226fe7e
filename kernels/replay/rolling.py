"""Windows at event times: each event time is an entry of a kernel, and a window that ends with it.

size 5, events at 1 and 4, then 3 late     windows 1 and 4 exist; 3 makes window 3, and is new in window 4

Where windows don't hold their own time, as window 4 is [-1, 4), one may be empty: then it has no row.
"""

from kernels.aggregators._dispatch import FOREVER
from kernels.bounds import window_end, window_start
from kernels.bounds.rolling import RollingWindow
from kernels.replay.changed import add_to_late_walks, note_changed
from kernels.replay.context import Placement, Replay
from kernels.replay.late_times import add_late_time, count_late_times
from kernels.replay.open_windows import is_open, open_entry
from kernels.replay.regular import insert_event, window_state
from kernels.replay.stop import must_stop_at
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL, EMIT_WATERMARK
from kernels.replay.walk import walk_to
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.tables import lazy_table
from kernels.states import events_of


def take(r: Replay, row):
    """Event time u is in the windows u … u + size − 1, or u + 1 … u + size; those that end by the floor are final, and
    those that end by the watermark passed."""
    window = RollingWindow(r.window.address)
    time, size, beyond, clock = r.events.starts[row], window.size, window.beyond, r.clock
    if time + size <= clock.floor:
        return
    first = time if beyond == 1 or r.kernel.first_from(r.panes, time) != time else time + 1
    if first == time or r.kernel.youngest(r.panes) > time:  # or in the window of a later time
        r.burst_youngest = max(time, r.burst_youngest)
    insert_event(r, time, row)
    if time + beyond <= clock.watermark:
        add_late_time(r.late_times, time, clock.watermark)
        add_to_late_walks(r, time)
        if r.emit == EMIT_WATERMARK:
            last = min(time + size, clock.watermark) - beyond
            note_changed(r, max(first, clock.floor + 1 - beyond), last, row)


def close_burst(r: Replay, first, end):
    """With emit arrival the window of the key's youngest time has a row, if the burst changed it and it isn't final."""
    if r.emit == EMIT_FINAL:
        _note_late_windows(r, first, end)
    if r.emit != EMIT_ARRIVAL or r.kernel.is_empty(r.panes) == 1:
        return FOREVER
    number = r.kernel.youngest(r.panes)
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
            state = walk_to(r, r.changing, number, True)  # with emit final no states are kept
            open_entry(r, number).events = events_of(state) - late_events(r, number, state)


def window_from(r: Replay, number):
    return r.kernel.first_from(r.panes, number)


@inner
def late_events(r: Replay, number, state):
    """Of a window that had no row when its end was reached. It may have had events: it exists only since its own event
    time was seen."""
    return count_late_times(r.late_times, window_start(r.window, number), window_end(r.window, number))


rolling_placement = lazy_table(
    Placement, "rolling_placement", take, close_burst, window_from, late_events, window_state
)
