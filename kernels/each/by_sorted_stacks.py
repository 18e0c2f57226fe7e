"""A key out of order whose events are all known: two stacks, the front made from the events in order of time.

    order    1  2   3  4 5  6          after 1 2 5 3, window of 5; 6 comes: its window begins at 2, behind 1, the oldest
    arrived     a   b    c             in the back, so a front is made of 2 to 5, what arrived: suffixes of each place.
    front       abc bc c c             Into the back go 6 and then 4, where order doesn't matter while the window holds
                                       4, the oldest there. Once it begins behind 4, the next front.

A place of an event that has not arrived holds the identity. With sorting O(1) amortised an event if windows are longer
than events are late; how many places all the fronts have together is counted before, from the times alone. For
aggregates that commute.
"""

from kernels.each.context import (
    BATCH,
    BATCH_TIMES,
    FOLDED,
    FOREVER,
    FRONT,
    FRONT_ROOM,
    IDENTITY,
    LIFTED,
    NEVER,
    OLDERS,
    ORDER,
    PLAN,
    RANKS,
    SIZE_US,
    SORTED,
    SOURCE,
    STATE_BYTES,
    TIMES,
    YOUNG,
    YOUNGEST,
    answer_batch,
    folded,
    lift_batch,
    state_words,
)
from kernels.memory import entry, inner, load, not_inlined, resize, store
from kernels.states import clear, copy_words, lift_rows, prefixes, suffixes

MOST_PLACES = 4
"""Places of all fronts per event up to which this is taken."""


@inner
def answer_by_sorted_stacks(e, first, end):
    """Answers of the events [first, end) of one key, whose RANKS, SORTED times and ORDER are set."""
    not_inlined()
    clear(load(e, PLAN), load(e, YOUNG))
    store(e, YOUNGEST, NEVER)
    low, front, middle, oldest, event = 0, 0, 0, FOREVER, first  # the front is [front, middle), oldest in the back
    while event < end:
        taken, low, oldest = _find_older(e, (first, event, min(BATCH, end - event)), (low, front, middle), oldest)
        if taken == 0:
            middle = _make_front(e, low, first, event, end)
            front, oldest = low, FOREVER
            continue
        lift_batch(e, event, taken)
        prefixes(load(e, PLAN), load(e, FOLDED), load(e, STATE_BYTES), load(e, LIFTED), taken, load(e, YOUNG))
        copy_words(load(e, YOUNG), folded(e, taken - 1), state_words(e))
        answer_batch(e, event, taken)
        event += taken


@inner
def _find_older(e, events, at, oldest):
    """(for how many events the front lasts, first place of the window of the one that it doesn't last for, oldest place
    in the back). events: the key's first, the next, how many at most; at: the window's first place, the front's two
    ends. BATCH_TIMES tells which are too old."""
    first, event, batch = events
    low, front, middle = at
    ascending = load(e, SORTED) + 8 * first
    for number in range(batch):
        youngest = max(load(load(e, TIMES), event + number), load(e, YOUNGEST))
        while load(ascending, low) <= youngest - load(e, SIZE_US):
            low += 1
        if low > oldest:
            return number, low, oldest
        store(e, YOUNGEST, youngest)
        rank = load(load(e, RANKS), event + number)
        store(load(e, BATCH_TIMES), number, NEVER if rank < low else 0)
        if rank >= low:
            oldest = min(oldest, rank)
        suffix = load(e, FRONT) + (low - front) * load(e, STATE_BYTES)
        store(load(e, OLDERS), number, suffix if low < middle else load(e, IDENTITY))
    return batch, low, oldest


@inner
def _make_front(e, low, first, event, end):
    """Suffix aggregates from the place `low` to behind the youngest event before `event`, of those that arrived; the
    back becomes empty. Returns the end."""
    not_inlined()
    ascending, order, middle = load(e, SORTED) + 8 * first, load(e, ORDER) + 8 * first, low
    while middle < end - first and load(ascending, middle) <= load(e, YOUNGEST):
        middle += 1
    places, state_bytes = middle - low, load(e, STATE_BYTES)
    if places > load(e, FRONT_ROOM):
        store(e, FRONT_ROOM, 2 * places)
        store(e, FRONT, resize(load(e, FRONT), 2 * places * state_words(e)))
    for begin in range(0, places, BATCH):
        here = min(BATCH, places - begin)
        for place in range(here):
            row = first + load(order, low + begin + place)
            store(load(e, OLDERS), place, row if row < event else -1)
        into = load(e, FRONT) + begin * state_bytes
        lift_rows(load(e, PLAN), into, state_bytes, load(e, SOURCE), load(e, OLDERS), here)
    suffixes(load(e, PLAN), load(e, FRONT), state_bytes, load(e, FRONT), state_bytes, places)
    clear(load(e, PLAN), load(e, YOUNG))
    return middle


@entry
def count_places(times, events, ranks, ascending, size_us):
    """How many places the fronts of one key have together. times, ranks, ascending: addresses of `events` words."""
    places, low, middle, oldest, youngest = 0, 0, 0, FOREVER, NEVER
    for event in range(events):
        newer = max(load(times, event), youngest)
        while load(ascending, low) <= newer - size_us:
            low += 1
        if low > oldest:
            while middle < events and load(ascending, middle) <= youngest:
                middle += 1
            places += max(0, middle - low)
            oldest = FOREVER
        youngest = newer
        if load(ranks, event) >= low:
            oldest = min(oldest, load(ranks, event))
    return places
