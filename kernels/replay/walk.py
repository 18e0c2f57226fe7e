"""Aggregates of windows one after the other, by two stacks over the tree's entries: a few combines a window.

    entries   a   b   c   d | e   f         the window moves from [a, e] to [b, f]
    front     abcd bcd cd d | back: e       its aggregate is the front's first state ⊗ back: bcd ⊗ ef

When the front is used up it is made again from the window's entries, each once. Consecutive windows share most of
theirs: one range query each made a row three times as dear. A late event in the back is added to it; one in the front
makes the walk invalid, and the tree answers until so many windows have asked that the next front pays.
"""

from kernels.memory import inner, load, not_inlined, store
from kernels.plan import STATE_WORDS
from kernels.replay.context import (
    ADDRESS,
    GOES_BEHIND,
    LEAST_PATIENCE,
    PASS_WALK,
    PLAN,
    STATE,
    TREE,
    USED,
    WALK_WORDS,
    WINDOW,
    append,
)
from kernels.replay.panes import append_range, copy_entries, count_between, range_query, youngest
from kernels.states import clear, merge, suffixes
from kernels.windows.block import window_end, window_start

# Words of a walk: whether it holds, windows answered by the tree since it doesn't, the window at hand, where
# front and back meet, address of the front's first entry, the front as a growing list of (time, state), the
# number of the window to go on with, if known, and how many windows ask the tree before the next front is made.
VALID, ASKED, LOW, HIGH, MIDDLE, FIRST, FRONT, NEXT, PATIENCE = 0, 1, 2, 3, 4, 5, 6, 9, 10
UNKNOWN = -(1 << 63)
# An answer of the tree costs as much as so many entries of a front. Where each front lasted for one window only, a
# rolling window of 65,536 late events a row took 14 µs with a patience of 32, and 1 µs with this.
ENTRIES_AN_ANSWER = 64


@inner
def start_walk(r, walk):
    """Before a key's first window."""
    invalidate(r, walk)
    store(r, walk + NEXT, UNKNOWN)
    store(r, walk + PATIENCE, load(r, LEAST_PATIENCE))


@inner
def invalidate(r, walk):
    """Entries below the walk's window end changed."""
    store(r, walk + VALID, 0)
    store(r, walk + ASKED, 0)


@inner
def tell_walk(r, walk, time):
    """An event came to `time`, its state at STATE. Most late events are but a little late: they go into the back; those
    of a key whose events are in order always do, and behind all that is there."""
    if load(r, walk + VALID) == 0 or time < load(r, walk + LOW) or time >= load(r, walk + HIGH):
        return
    if time >= load(r, walk + MIDDLE) and load(r, GOES_BEHIND) == 1:
        back = _back(r, walk)
        merge(load(r, PLAN), back, back, load(r, STATE))
    else:
        invalidate(r, walk)


@inner
def stand_at(r, walk, number):
    """Move a walk to a window whose aggregate is known."""
    invalidate(r, walk)
    store(r, walk + LOW, window_start(load(r, WINDOW), number))
    store(r, walk + HIGH, window_end(load(r, WINDOW), number))


@inner
def walk_state(r, walk, number):
    """Address of a window's aggregate, valid until the next call."""
    not_inlined()
    low, high = window_start(load(r, WINDOW), number), window_end(load(r, WINDOW), number)
    backwards = low < load(r, walk + LOW) or high < load(r, walk + HIGH)
    if backwards or low >= load(r, walk + HIGH):  # nothing in common with the window before
        invalidate(r, walk)
    if load(r, walk + VALID) == 0 and load(r, walk + ASKED) < load(r, walk + PATIENCE):
        store(r, walk + ASKED, load(r, walk + ASKED) + 1)
        store(r, walk + LOW, low)
        store(r, walk + HIGH, high)
        return range_query(r, load(r, TREE), low, high)
    if load(r, walk + VALID) == 0 or low > load(r, walk + MIDDLE):
        _make_front(r, walk, low, high)
    else:
        _extend_back(r, walk, high)
    store(r, walk + LOW, low)
    store(r, walk + HIGH, high)
    return _front_and_back(r, walk, low)


@inner
def _back(r, walk):
    """Address of the walk's back state; its result state follows. The block at STATE holds a new event's
    state first."""
    bytes_a_state = 8 * load(load(r, PLAN), STATE_WORDS)
    return load(r, STATE) + bytes_a_state * (1 + 2 * ((walk - PASS_WALK) // WALK_WORDS))


@inner
def _extend_back(r, walk, high):
    if high > load(r, walk + HIGH):
        append_range(r, load(r, TREE), load(r, walk + HIGH), high, _back(r, walk))


@inner
def _front_and_back(r, walk, low):
    plan, back = load(r, PLAN), _back(r, walk)
    entry = load(r, walk + FIRST)
    entry_words = 1 + load(plan, STATE_WORDS)
    end = load(r, walk + FRONT + ADDRESS) + 8 * load(r, walk + FRONT + USED)
    while entry < end and load(entry, 0) < low:
        entry += 8 * entry_words
    store(r, walk + FIRST, entry)
    if entry == end:
        return back
    result = back + 8 * load(plan, STATE_WORDS)
    merge(plan, result, entry + 8, back)
    return result


@inner
def _make_front(r, walk, low, high):
    """Copy the window's entries and aggregate them from the youngest on. The key's youngest goes into the back, where
    more may be added to it."""
    not_inlined()
    plan = load(r, PLAN)
    middle = max(low, min(high, youngest(r, load(r, TREE))))
    entry_words = 1 + load(plan, STATE_WORDS)
    store(r, walk + FRONT + USED, 0)
    entries = count_between(r, load(r, TREE), low, middle)
    front = append(r, walk + FRONT, entry_words * entries)
    copy_entries(r, load(r, TREE), low, middle, front)
    suffixes(plan, front + 8, 8 * entry_words, front + 8, 8 * entry_words, entries)
    store(r, walk + PATIENCE, max(load(r, LEAST_PATIENCE), entries // ENTRIES_AN_ANSWER))
    clear(plan, _back(r, walk))
    append_range(r, load(r, TREE), middle, high, _back(r, walk))
    store(r, walk + FIRST, front)
    store(r, walk + MIDDLE, middle)
    store(r, walk + VALID, 1)
