"""SE-Slicing (SPANS §3.2 and §5.2): windows over events that last, from slices that windows share.

Slices are cut by Pairs (SPANS §5.1): at every start and every end of a window, so one or two a slide. An event goes
into the slice in which it ends (φ), and, so that no window counts it twice, into a second state (ϕ) of each earlier
slice that it meets, from which it goes on. A window is all its φ and the ϕ of its last slice (table 2, combine*):

    window of 15 by 5     slices  [0, 5)  [5, 10)  [10, 15)  [15, 20)
    an event [7, 16)      φ          ·       ·        ·         1
                          ϕ          ·       1        1         ·
    window [0, 15): φ 0 + 0 + 0, ϕ of [10, 15) 1: one event.

The paper keeps slices in a list and finds an event's by going back from the newest. Here φ and ϕ are two finger trees
by slice start, so that an event is placed by its own interval however late it comes, memory is that of the slices with
events in windows that are not final, and windows one after the other are two stacks' work instead of all their slices'
(replay/walk.py). A ring of slices was thought of: two events a year apart, cut by seconds, would fill it with nothing.
A selective aggregate (min, max) alone could do without ϕ (§3.2.1), but every window counts its events too.
"""

from functools import cache

from kernels.replay.context import Replay
from kernels.replay.notes import add_to_late_walks, note_live
from kernels.replay.panes import bulk_evict, first_from, insert, is_empty, oldest, range_query
from kernels.replay.placement import Placement
from kernels.replay.stop import must_stop
from kernels.replay.walk import Walk, add_to_walk, walk_state
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.tables import compiled_table
from kernels.states import events_of, gather, merge
from kernels.windows._grid import Grid
from kernels.windows._window import first_end_after, last_start_until, window_end, window_start


@inner
def slice_start(grid, time):
    """Start of the slice that holds `time`."""
    into_slide = (time - grid.origin) % grid.slide
    return time - into_slide + (grid.rest if into_slide >= grid.rest else 0)


@inner
def next_slice(grid, start):
    """Start of the slice after the one that starts at `start`."""
    into_slide = (start - grid.origin) % grid.slide
    return start + (grid.rest if into_slide == 0 and grid.rest > 0 else grid.slide - into_slide)


def take(r: Replay, row):
    """An event that lasts is in all windows from the first that ends after its start to the last that starts before
    its end; those that are not final yet get it, by the slices that they are made of."""
    window, clock, start = r.window, r.clock, r.events.starts[row]
    end = max(r.events.ends[row], start + 1)
    first, last = first_end_after(window, start), last_start_until(window, end - 1)
    if first > last or window_end(window, last) <= clock.floor:
        return
    is_late = window_end(window, first) <= clock.watermark
    first = max(first, first_end_after(window, clock.floor))
    gather(r.plan, r.state, r.events.columns, row, row + 1)
    ends_in = _insert_slices(r, max(start, window_start(window, first)), end)
    add_to_walk(r, r.changing, ends_in)
    if is_late:
        add_to_late_walks(r, ends_in)
    note_live(r, first, last, is_late, row)


@inner
def _insert_slices(r, start, end):
    """Put the event at hand into the slices of [start, end). Returns the start of the slice in which it ends.

    O(slices · log d), d of them from the young end.
    """
    not_inlined()
    grid = Grid(r.window)
    ends_in = slice_start(grid, end - 1)
    insert(r, r.panes, ends_in, r.state, -1)
    piece = slice_start(grid, start)
    while piece < ends_in and not must_stop(r.stop):
        insert(r, r.goes_on, piece, r.state, -1)
        piece = next_slice(grid, piece)
    return ends_in


def window_state(r: Replay, walk: Walk, number):
    """Of the window's entries, and of what goes on from its end."""
    state = walk_state(r, walk, number)
    if is_empty(r, r.goes_on):
        return state
    goes_on = range_query(r, r.goes_on, slice_start(Grid(r.window), walk.high - 1), walk.high)
    if events_of(goes_on) == 0:
        return state
    merge(r.plan, r.whole, state, goes_on)
    return r.whole


def oldest_slice(r: Replay):
    return min(oldest(r, r.panes), oldest(r, r.goes_on))


def first_slice_from(r: Replay, time):
    return min(first_from(r, r.panes, time), first_from(r, r.goes_on, time))


def evict(r: Replay, time):
    bulk_evict(r, r.panes, time)
    bulk_evict(r, r.goes_on, time)


OPERATIONS = {
    "take": take,
    "window_state": window_state,
    "oldest": oldest_slice,
    "first_from": first_slice_from,
    "evict": evict,
}


@cache
def slice_placement() -> Placement:
    """Events in slices."""
    return compiled_table(Placement, "slice_placement", OPERATIONS)
