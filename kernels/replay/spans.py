"""Windows over events that last: a span kernel holds them (kernels/spans), and is asked for one window after the other.

    an event [7, 16)  ──insert_span──▶  slices, buckets or indexes  ──state──▶  windows [−5, 10), [0, 15), [5, 20) …

Of kernels with slices, what ends in the slices of a window comes by two stacks over them (walk.py), and the kernel
completes it.
"""

from functools import cache

from kernels.replay.context import Replay
from kernels.replay.notes import add_to_late_walks, note_live
from kernels.replay.placement import Placement
from kernels.replay.regular import end_of_run
from kernels.replay.walk import Walk, add_to_walk, stand_at, walk_state
from kernels.runtime.calls import call
from kernels.runtime.memory import inner
from kernels.runtime.tables import compiled_table
from kernels.states import gather
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
    gather(r.plan, r.state, r.events.columns, row, row + 1)
    call(r.spans.insert_span, r.panes, max(start, window_start(window, first)), end, r.state)
    if r.kernel.address != 0:
        add_to_walk(r, r.changing, end - 1)
        if is_late:
            add_to_late_walks(r, end - 1)
    note_live(r, first, last, is_late, row)


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
