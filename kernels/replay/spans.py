"""Windows over events that last: a span kernel holds them (kernels/spans), and is asked for one window after the other.

    an event [7, 16)  ──insert_span──▶  slices, buckets or indexes  ──state──▶  windows [−5, 10), [0, 15), [5, 20) …

Of kernels with slices, what ends in the slices of a window comes by two stacks over them (walk.py), and the kernel
completes it.

Where windows count shares (semantics §2, `prorated`), an event is put in as an event without values, which is counted
once in each window, and in a piece for each pane that it meets, which has its share of the values and is no event:

    an event [7, 16) of 9, windows of 15 by 5     panes [5, 10)  [10, 15)  [15, 20)
                                                       3/9 · 9   5/9 · 9   1/9 · 9
"""

from functools import cache

from kernels.replay.context import Replay
from kernels.replay.notes import add_to_late_walks, note_live
from kernels.replay.placement import Placement
from kernels.replay.regular import end_of_run, pane_of
from kernels.replay.stop import must_stop_at
from kernels.replay.walk import Walk, add_to_walk, stand_at, walk_state
from kernels.runtime.calls import call
from kernels.runtime.memory import as_word, inner, not_inlined
from kernels.runtime.tables import compiled_table
from kernels.states import clear, gather, set_events
from kernels.windows._window import first_end_after, last_start_until, window_end, window_start


def take(r: Replay, row):
    """An event that lasts is in all windows from the first that ends after its start to the last that starts before
    its end; those that are not final yet get it."""
    window, clock, start = r.window, r.clock, r.events.starts[row]
    end = max(r.events.ends[row], start + 1)
    first, last = first_end_after(window, start), last_start_until(window, end - 1)
    if first > last or window_end(window, last) <= clock.floor:
        return
    is_late = window_end(window, first) <= clock.watermark
    first = max(first, first_end_after(window, clock.floor))
    low = max(start, window_start(window, first))
    if r.events.shares.address == 0:
        gather(r.plan, r.state, r.events.columns, row, row + 1)
        _insert(r, low, end, is_late)
    else:
        _insert_shares(r, row, low, end, is_late)
    note_live(r, first, last, is_late, row)


@inner
def _insert(r, low, high, is_late):
    """What the state at hand says of [low, high)."""
    call(r.spans.insert_span, r.panes, low, high, r.state)
    if r.kernel.address != 0:
        add_to_walk(r, r.changing, high - 1)
        if is_late:
            add_to_late_walks(r, high - 1)


@inner
def _insert_shares(r, row, low, end, is_late):
    """The event, from `low` on, in pieces. O(panes that it meets)."""
    not_inlined()
    length = end - r.events.starts[row]
    clear(r.plan, r.state)
    set_events(r.state, 1)
    _insert(r, low, end, is_late)
    pieces = 0
    while low < end and not must_stop_at(r.stop, pieces):
        high = min(end, pane_of(r, low).high)
        r.events.shares[row] = as_word((high - low) / length)
        gather(r.plan, r.state, r.events.columns, row, row + 1)
        set_events(r.state, 0)
        _insert(r, low, high, is_late)
        low = high
        pieces += 1


def take_run(r: Replay, first, end):
    """Events from `first` on that begin and end in one slice before the watermark next moves, all of them in time: one
    insertion."""
    row = end_of_run(r, r.events.ends, first, end)
    if row > first:
        gather(r.plan, r.state, r.events.columns, first, row)
        call(r.spans.insert_span, r.panes, r.pane.low, r.pane.high, r.state)
    return row


def window_state(r: Replay, walk: Walk, number):
    if r.kernel.address == 0:
        stand_at(r, walk, number)
        return call(r.spans.state, r.panes, _cursor(r, walk), walk.low, walk.high)
    state = walk_state(r, walk, number)
    return call(r.spans.complete, r.panes, walk.low, walk.high, state)


@inner
def _cursor(r, walk):
    """Each walk asks for windows of its own, one after the other."""
    if walk.address == r.passing.address:
        return 0
    return 1 if walk.address == r.finishing.address else 2


def oldest(r: Replay):
    return call(r.spans.oldest, r.panes)


def first_from(r: Replay, time):
    return call(r.spans.first_from, r.panes, time)


def evict(r: Replay, time):
    call(r.spans.evict, r.panes, time)


def is_empty(r: Replay):
    return call(r.spans.is_empty, r.panes)


@cache
def span_placement() -> Placement:
    """Events in a span kernel."""
    operations = (take, take_run, window_state, oldest, first_from, evict, is_empty)
    return compiled_table(Placement, "span_placement", {each.__name__: each for each in operations})
