"""A key whose events arrive in order: two stacks over the columns themselves, nothing is stored but the front.

    times   1   2   3   4 | 5   6        window of 4: after event 6 it holds 3 4 5 6
    front   …   …   34  4 | back: 56     answer = front of 3 ⊗ back; when the front is used up, it is made again from
                                         the events still in the window
"""

from kernels.each.context import (
    BATCH,
    FOLDED,
    FRONT,
    FRONT_ROOM,
    IDENTITY,
    OLDERS,
    PLAN,
    SIZE_US,
    SOURCE,
    STATE_BYTES,
    TIMES,
    YOUNG,
    answer_batch,
    folded,
    state_words,
)
from kernels.memory import inner, load, not_inlined, resize, store
from kernels.states import clear, copy_words, lift_each, prefixes, suffixes


@inner
def answer_in_order(e, first, end):
    """Answers of the events [first, end) of one key. O(1) amortised each."""
    not_inlined()
    low = front = middle = event = first  # the window is [low, event], its front [front, middle)
    clear(load(e, PLAN), load(e, YOUNG))
    while event < end:
        batch = min(BATCH, end - event)
        taken, low = _find_older(e, low, front, middle, event, batch)
        if taken == 0:
            _make_front(e, low, event)
            front, middle = low, event
            continue
        state_bytes = load(e, STATE_BYTES)
        lift_each(load(e, PLAN), load(e, FOLDED), state_bytes, load(e, SOURCE), event, event + taken)
        prefixes(load(e, PLAN), load(e, FOLDED), state_bytes, load(e, FOLDED), taken, load(e, YOUNG))
        copy_words(load(e, YOUNG), folded(e, taken - 1), state_words(e))
        answer_batch(e, event, taken)
        event += taken


@inner
def _find_older(e, low, front, middle, event, batch):
    """(how many events the front lasts for, first event of the window of the one that it doesn't last for)."""
    times, olders = load(e, TIMES), load(e, OLDERS)
    for place in range(batch):
        until = load(times, event + place) - load(e, SIZE_US)
        while load(times, low) <= until:
            low += 1
        if low > middle:
            return place, low
        suffix = load(e, FRONT) + (low - front) * load(e, STATE_BYTES)
        store(olders, place, suffix if low < middle else load(e, IDENTITY))
    return batch, low


@inner
def _make_front(e, low, event):
    """Suffix aggregates of the events [low, event); the back becomes empty."""
    not_inlined()
    events, state_bytes = event - low, load(e, STATE_BYTES)
    if events > load(e, FRONT_ROOM):
        store(e, FRONT_ROOM, 2 * events)
        store(e, FRONT, resize(load(e, FRONT), 2 * events * state_words(e)))
    lift_each(load(e, PLAN), load(e, FRONT), state_bytes, load(e, SOURCE), low, event)
    suffixes(load(e, PLAN), load(e, FRONT), state_bytes, load(e, FRONT), state_bytes, events)
    clear(load(e, PLAN), load(e, YOUNG))
