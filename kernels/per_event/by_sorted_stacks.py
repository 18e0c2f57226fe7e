"""A key out of order whose events are all known: two stacks, the front made from the events in order of time.

    order    1  2   3  4 5  6          after 1 2 5 3, window of 5; 6 comes: its window begins at 2, behind 1, the oldest
    arrived     a   b    c             in the back, so a front is made of 2 to 5, what arrived: suffixes of each place.
    front       abc bc c c             Into the back go 6 and then 4, where order doesn't matter while the window holds
                                       4, the oldest there. Once it begins behind 4, the next front.

A place of an event that has not arrived holds the identity. With sorting O(1) amortised an event if windows are longer
than events are late; how many places all the fronts have together is counted before, from the times alone. For
aggregates that commute.
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.per_event.context import BATCH, NO_TIME, PerEvent, answer_taken, make_room_in_front
from windrow.kernels.runtime.memory import entry, inner, not_inlined
from windrow.kernels.runtime.struct import words_at
from windrow.kernels.states import clear, lift_rows, suffixes

MOST_PLACES = 8
"""Places of all fronts per event up to which this is taken: windows a tenth longer than events are late."""


def answer(context: PerEvent, first, end):
    clear(context.plan, context.young)
    context.youngest = NO_TIME
    low, front, middle, oldest, event = 0, 0, 0, FOREVER, first  # the front is [front, middle), oldest in the back
    while event < end:
        taken, low, oldest = _find_older(context, (first, event, min(BATCH, end - event)), (low, front, middle), oldest)
        if taken == 0:
            middle = _make_front(context, low, first, event, end)
            front, oldest = low, FOREVER
            continue
        answer_taken(context, event, taken, context.young)
        event += taken


@inner
def _find_older(context, events, at, oldest):
    """(for how many events the front lasts, first place of the window of the one that it doesn't last for, oldest place
    in the back). events: the key's first, the next, how many at most; at: the window's first place, the front's two
    ends. The batch's times mark which are too old."""
    first, event, batch = events
    low, front, middle = at
    ascending, times, ranks = context.ascending[first:], context.times[event:], context.ranks[event:]
    olders, batch_times = context.batch.olders, context.batch.times
    state_bytes, youngest = context.state_bytes, context.youngest
    taken, suffix = batch, context.front + (low - front) * state_bytes
    for place in range(batch):
        newer = max(times[place], youngest)
        while ascending[low] <= newer - context.size:
            low += 1
            suffix += state_bytes
        if low > oldest:
            taken = place
            break
        youngest, rank = newer, ranks[place]
        batch_times[place] = NO_TIME if rank < low else 0
        oldest = min(oldest, rank) if rank >= low else oldest
        olders[place] = suffix if low < middle else context.identity
    context.youngest = youngest
    return taken, low, oldest


@inner
def _make_front(context, low, first, event, end):
    """Suffix aggregates from the place `low` to behind the youngest event before `event`, of those that arrived; the
    back becomes empty. Returns the end."""
    not_inlined()
    ascending, middle = context.ascending[first:], low
    while middle < end - first and ascending[middle] <= context.youngest:
        middle += 1
    make_room_in_front(context, middle - low)
    for begin in range(low, middle, BATCH):
        _lift_arrived(context, (first, event), begin, min(BATCH, middle - begin), low)
    suffixes(context.plan, context.front, context.state_bytes, context.front, context.state_bytes, middle - low)
    clear(context.plan, context.young)
    return middle


@inner
def _lift_arrived(context, events, begin, places, low):
    """States of some places from `begin` on, into the front, which begins at the place `low`. events: the key's first,
    and the one before which they must have arrived."""
    first, event = events
    rows, chosen = context.rows[first + begin :], context.batch.places
    for place in range(places):
        row = first + rows[place]
        chosen[place] = row if row < event else -1
    into = context.front + (begin - low) * context.state_bytes
    lift_rows(context.plan, into, context.state_bytes, context.events, chosen, places)


@entry
def count_places(times, ranks, ascending, first, end, size):
    """How many places the fronts of one key, the events [first, end), have together. times, ranks, ascending: addresses
    of words, those of all keys."""
    times, ranks, ascending = words_at(times)[first:], words_at(ranks)[first:], words_at(ascending)[first:]
    places, low, middle, oldest, youngest = 0, 0, 0, FOREVER, NO_TIME
    for event in range(end - first):
        newer = max(times[event], youngest)
        while ascending[low] <= newer - size:
            low += 1
        if low > oldest:
            while middle < end - first and ascending[middle] <= youngest:
                middle += 1
            places += max(0, middle - low)
            oldest = FOREVER
        youngest = newer
        if ranks[event] >= low:
            oldest = min(oldest, ranks[event])
    return places
