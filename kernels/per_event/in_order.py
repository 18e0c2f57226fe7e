"""A key in order of time: two stacks over the columns themselves, nothing is stored but the front.

times   1   2   3   4 | 5   6        window of 4: after event 6 it holds 3 4 5 6
front   …   …   34  4 | back: 56     answer = front of 3 ⊗ back; when the front is used up, it is made again from
                                     the events still in the window

The answers after each event of a key in order are its rolling windows (u − size, u] too, but for events of one time: of
those only the last one's answer is the window's. So a replay takes them here (kernels/replay/numbered/in_time.py), and
of a key whose events are all known, but out of order, by the events in order of time:

    arrive   3  1  4  4             ascending  1  3  4  4      rows  1  0  2  3
    after each entry                a  ab  abc  abcd           windows 1, 3 and 4: a, ab, abcd
"""

from windrow.kernels.per_event.context import BATCH, PerEvent, fold_batch, lower_batch, make_room_in_front
from windrow.kernels.ranks import count_in_order
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.struct import words_at
from windrow.kernels.states import clear, lift_each, lift_rows, merge_each, suffixes


def answer(context: PerEvent, first, end):
    """Answers of the events [first, end) of one key. O(1) amortised each."""
    context.stacks.times = context.times
    start_windows(context, first, end)
    while context.stacks.next < end:
        event = context.stacks.next
        lower_batch(context, event, take_windows(context))


@inner
def start_windows(context, first, end):
    stacks = context.stacks
    stacks.begin = stacks.low = stacks.middle = stacks.next = first
    stacks.end = end
    clear(context.plan, context.young)


@inner
def take_windows(context):
    """Take up to BATCH entries more; the batch's `folded` has the aggregate of the window after each of them. Returns
    how many."""
    stacks = context.stacks
    taken = _find_older(context)
    if taken == 0:
        _make_front(context)
        taken = _find_older(context)
    folded = context.batch.folded
    _lift(context, folded, stacks.next, taken)  # behind the back, which they are part of from then on
    fold_batch(context, folded, taken, context.young)
    merge_each(context.plan, folded, context.state_bytes, context.batch.olders, taken)
    stacks.next += taken
    return taken


@inner
def _find_older(context):
    not_inlined()
    stacks, olders, identity, state_bytes = context.stacks, context.batch.olders, context.identity, context.state_bytes
    times, low, middle, size = stacks.times, stacks.low, stacks.middle, context.size
    coming, suffix = times[stacks.next :], context.front + (low - stacks.begin) * state_bytes
    taken = batch = min(BATCH, stacks.end - stacks.next)
    for place in range(batch):
        until = coming[place] - size
        while times[low] <= until:
            low += 1
            suffix += state_bytes
        if low > middle:
            taken = place
            break
        olders[place] = suffix if low < middle else identity
    stacks.low = low
    return taken


@inner
def _make_front(context):
    not_inlined()
    stacks = context.stacks
    stacks.begin, stacks.middle = stacks.low, stacks.next
    entries = stacks.middle - stacks.begin
    make_room_in_front(context, entries)
    _lift(context, context.front, stacks.begin, entries)
    suffixes(context.plan, context.front, context.state_bytes, context.front, context.state_bytes, entries)
    clear(context.plan, context.young)


@inner
def _lift(context, into, entry, entries):
    stacks, plan, state_bytes, events = context.stacks, context.plan, context.state_bytes, context.events
    if stacks.rows.address == 0:
        lift_each(plan, into, state_bytes, events, entry, entry + entries)
        return
    chosen = context.batch.places
    for begin in range(entry, entry + entries, BATCH):
        here = min(BATCH, entry + entries - begin)
        for place in range(here):
            chosen[place] = stacks.first_row + stacks.rows[begin + place]
        lift_rows(plan, into + (begin - entry) * state_bytes, state_bytes, events, chosen, here)


@inner
def start_rolling(context, times, first, end, ranked):
    """The events [first, end) of the columns. times: of all keys, as they arrived; ranked: (ascending, rows) of all
    keys, as kernels/ranks.py has them, which a key in order needn't have."""
    not_inlined()
    stacks, (ascending, rows) = context.stacks, ranked
    if count_in_order(times[first:], end - first) == end - first:
        stacks.times, stacks.rows = times, words_at(0)
        start_windows(context, first, end)
    else:
        stacks.times, stacks.rows, stacks.first_row = ascending[first:], rows[first:], first
        start_windows(context, 0, end - first)


@inner
def ends_window(context, entry):
    stacks = context.stacks
    return entry + 1 == stacks.end or stacks.times[entry + 1] != stacks.times[entry]
