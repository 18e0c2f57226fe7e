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

from kernels.memory import inner, load, not_inlined
from kernels.replay.context import GOES_ON, PLAN, STATE, TREE, WHOLE, WINDOW
from kernels.replay.panes import first_from, insert, is_empty, oldest, range_query
from kernels.replay.walk import HIGH, walk_state
from kernels.states import events_of, merge
from kernels.windows.block import MODE, ORIGIN_US, REST_US, SLIDE_US, SPANNING


@inner
def slice_start(window, time):
    """Start of the slice that holds `time`."""
    into_slide = (time - load(window, ORIGIN_US)) % load(window, SLIDE_US)
    rest = load(window, REST_US)
    return time - into_slide + (rest if into_slide >= rest else 0)


@inner
def next_slice(window, start):
    """Start of the slice after the one that starts at `start`."""
    slide, rest = load(window, SLIDE_US), load(window, REST_US)
    into_slide = (start - load(window, ORIGIN_US)) % slide
    return start + (rest if into_slide == 0 and rest > 0 else slide - into_slide)


@inner
def insert_slices(r, start, end):
    """Put the event at STATE into the slices of [start, end). Returns the start of the slice in which it ends.

    O(slices · log d), d of them from the young end.
    """
    not_inlined()
    window, state = load(r, WINDOW), load(r, STATE)
    ends_in = slice_start(window, end - 1)
    insert(r, load(r, TREE), ends_in, state, -1)
    piece = slice_start(window, start)
    while piece < ends_in:
        insert(r, load(r, GOES_ON), piece, state, -1)
        piece = next_slice(window, piece)
    return ends_in


@inner
def _some_go_on(r):
    """Whether windows span, and an event goes on behind a slice that is held."""
    return load(load(r, WINDOW), MODE) == SPANNING and not is_empty(r, load(r, GOES_ON))


@inner
def window_state(r, walk, number):
    """Address of a window's aggregate, valid until the next call: of its entries, and of what goes on from its end."""
    not_inlined()
    state = walk_state(r, walk, number)
    if not _some_go_on(r):
        return state
    end = load(r, walk + HIGH)
    goes_on = range_query(r, load(r, GOES_ON), slice_start(load(r, WINDOW), end - 1), end)
    if events_of(goes_on) == 0:
        return state
    merge(load(r, PLAN), load(r, WHOLE), state, goes_on)
    return load(r, WHOLE)


@inner
def oldest_entry(r):
    """Time of the oldest pane, event or slice that is held; there is one."""
    if not _some_go_on(r):
        return oldest(r, load(r, TREE))
    return min(oldest(r, load(r, TREE)), oldest(r, load(r, GOES_ON)))


@inner
def first_entry_from(r, time):
    """(whether there is one, time of the first pane, event or slice at or after `time`)."""
    found, first = first_from(r, load(r, TREE), time)
    if _some_go_on(r):
        goes_on, other = first_from(r, load(r, GOES_ON), time)
        if goes_on and (other < first or not found):
            found, first = True, other
    return found, first
