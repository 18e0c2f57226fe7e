"""Aggregates of windows one after the other, by two stacks over the tree's entries: a few combines a window.

    entries   a   b   c   d | e   f         the window moves from [a, e] to [b, f]
    front     abcd bcd cd d | back: e       its aggregate is the front's first state ⊗ back: bcd ⊗ ef

When the front is used up it is made again from the window's entries, each once. Consecutive windows share most of
theirs: one range query each made a row three times as dear. A late event in the back is added to it; one in the front
makes the walk invalid, and the tree answers until so many windows have asked that the next front pays.
"""

from windrow.kernels.aggregators._dispatch import Entry, entry_bytes
from windrow.kernels.bounds import window_end, window_start
from windrow.kernels.runtime.fields import Address, Count, Flag, Inline, Microseconds, Place, Word
from windrow.kernels.runtime.growing import GrowingList, append
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states import clear, join, merge, suffixes

UNKNOWN = -(1 << 63)
# An answer of the tree costs as much as so many entries of a front. Where each front lasted for one window only, a
# rolling window of 65,536 late events a row took 14 µs with a patience of 32, and 1 µs with this.
ENTRIES_AN_ANSWER = 64


class Walk(Struct):
    """[low, high) is the window at hand; front and back meet at middle.

    first: the Entry of the front that begins the window; back, result: states
    asked: windows answered by the tree since the walk doesn't hold; patience: how many ask it before the next front
    next: number of the window to go on with, UNKNOWN if that must be looked for
    cursor: as which it asks a span kernel
    """

    is_valid: Flag()
    asked: Count
    patience: Count
    low: Microseconds
    high: Microseconds
    middle: Microseconds
    next: Word
    first: Address
    front: Inline(GrowingList)
    back: Address
    result: Address
    cursor: Place


@inner
def start_walk(r, walk):
    invalidate(walk)
    walk.next = UNKNOWN
    walk.patience = r.numbered.least_patience


@inner
def invalidate(walk):
    """Entries below the walk's window end changed."""
    walk.is_valid = False
    walk.asked = 0


@inner
def add_to_walk(r, walk, time):
    """The event at hand came to `time`. Most late events are but a little late: they go into the back; those of a key
    whose events are in order always do, and behind all that is there."""
    if not walk.is_valid or time < walk.low or time >= walk.high:
        return
    if time >= walk.middle and r.numbered.goes_behind:
        merge(r.plan, walk.back, walk.back, r.state)
    else:
        invalidate(walk)


@inner
def stand_at(r, walk, number):
    invalidate(walk)
    walk.low, walk.high = window_start(r.window, number), window_end(r.window, number)


@inner
def walk_to(r, walk, number, is_lowered):
    """Address of a window's aggregate, valid until the next call. is_lowered: it will be lowered and nothing else."""
    not_inlined()
    low, high = window_start(r.window, number), window_end(r.window, number)
    is_backwards = low < walk.low or high < walk.high
    if is_backwards or low >= walk.high:  # nothing in common with the window before
        invalidate(walk)
    if not walk.is_valid and walk.asked < walk.patience:
        walk.asked += 1
        walk.low, walk.high = low, high
        return r.kernel.range_query(r.structure, low, high)
    if not walk.is_valid or low > walk.middle:
        _make_front(r, walk, low, high)
    elif high > walk.high:
        r.kernel.append_range(r.structure, walk.high, high, walk.back)
    walk.low, walk.high = low, high
    return _front_and_back(r, walk, is_lowered)


@inner
def _front_and_back(r, walk, is_lowered):
    stride = entry_bytes(WORD_BYTES * r.plan.state_words)
    entry, end = walk.first, walk.front.first + WORD_BYTES * walk.front.used
    while entry < end and Entry(entry).time < walk.low:
        entry += stride
    walk.first = entry
    if entry == end:
        return walk.back
    if is_lowered:
        join(r.plan, walk.result, Entry(entry).state, walk.back)
    else:
        merge(r.plan, walk.result, Entry(entry).state, walk.back)
    return walk.result


@inner
def _make_front(r, walk, low, high):
    """Copy the window's entries and aggregate them from the youngest on. The key's youngest goes into the back, where
    more may be added to it."""
    not_inlined()
    middle = max(low, min(high, r.kernel.youngest(r.structure)))
    stride = entry_bytes(WORD_BYTES * r.plan.state_words)
    walk.front.used = 0
    entries = r.kernel.count_between(r.structure, low, middle)
    front = append(walk.front, entries * stride // WORD_BYTES)
    r.kernel.copy_entries(r.structure, low, middle, front)
    states = Entry(front).state
    suffixes(r.plan, states, stride, states, stride, entries)
    walk.patience = max(r.numbered.least_patience, entries // ENTRIES_AN_ANSWER)
    clear(r.plan, walk.back)
    r.kernel.append_range(r.structure, middle, high, walk.back)
    walk.first, walk.middle, walk.is_valid, walk.asked = front, middle, True, 0
