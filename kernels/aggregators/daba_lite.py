"""DABA lite: two-stacks lite without its pauses; the next front is made bit by bit. In order of time only.

The queue falls into regions, of which each entry's state says another thing. Times 1 to 10 inserted, sum:

    time      1   2 |  3   4 |  5   6 |  7   8 |  9 | 10
    holds    36  35 |  7   4 |  5   6 | 15   8 |  9 | 10
             front    left     right    accum.   back open

    front, accumulator   itself to the end of the accumulator (the middle): 35 = 2+3+…+8, 15 = 7+8
    left                 itself to the end of the left: 7 = 3+4; MIDDLE_SUM = 5+6+7+8 = 26 is what is missing
    right, back          itself; BACK = 9

    query() = 36 + 9 + 10. Each insertion and each eviction is one step: the accumulator takes an entry from the right
    (6 becomes 6 + 15 = 21) and the front one from the left (7 becomes 7 + 26 = 33). Left and right, as long as each
    other, are used up together; then the front walks through the accumulator. It reaches the middle just when the
    back has grown as long as the front: a flip, which only moves the borders, makes front and back the new left and
    right.

A burst of m entries is m steps, but those up to the next flip are done together, by one call for the accumulator.

Source: DABA Lite, Tangwongsan, Hirzel, Schneider, "In-order sliding-window aggregation in worst-case constant time"
(VLDB Journal 2021); FIBA §7, a baseline.
"""

from kernels.aggregators._card import Card
from kernels.aggregators._queue.check import check_daba
from kernels.aggregators._queue.door import make_answer
from kernels.aggregators._queue.face import LiteWindow
from kernels.aggregators._queue.in_order import operations_of
from kernels.aggregators._queue.layout import (
    ACCUMULATOR,
    BACK,
    CLOSED,
    END,
    FIRST,
    LEFT,
    MIDDLE,
    MIDDLE_SUM,
    PLAN,
    RIGHT,
    STATE_BYTES,
    STATES,
    clear_scratch,
    drop_before,
    fold_between,
    scratch,
    state_at,
)
from kernels.aggregators._queue.lite import append_back, fold_values, query, suffixes_between
from kernels.aggregators._queue.search import search
from kernels.memory import inner, load, move, not_inlined, store
from kernels.native import door_of
from kernels.states import merge


@inner
def _aggregate_back(queue):
    """Take up what the open entry no longer holds back: a step per entry, done by as many at once as have one flip."""
    closed, end = load(queue, CLOSED), load(queue, END)
    while closed < end - 1:
        steps = min(end - 1 - closed, _steps_to_flip(queue))
        fold_between(queue, scratch(queue, BACK), STATES, closed, closed + steps)
        closed += steps
        store(queue, CLOSED, closed)
        _step(queue, steps)


@inner
def _drop(queue, ordinal):
    """Forget the entries before `ordinal`: a step per entry."""
    first = load(queue, FIRST)
    while first < ordinal:
        steps = min(ordinal - first, _steps_to_flip(queue))
        first += steps
        drop_before(queue, first)
        _step(queue, steps)


@inner
def _steps_to_flip(queue):
    """How many steps can be done at once: those before the next flip, or the one that begins with it."""
    return max(1, load(queue, MIDDLE) - load(queue, LEFT))


@inner
def _step(queue, steps):
    """After so many insertions, or so many evictions: as much of the work on the next front."""
    not_inlined()
    if load(queue, LEFT) == load(queue, MIDDLE):
        _flip(queue)
    if load(queue, FIRST) == load(queue, MIDDLE):
        clear_scratch(queue, BACK)
        clear_scratch(queue, MIDDLE_SUM)
        return
    merges = min(steps, load(queue, RIGHT) - load(queue, LEFT))
    if merges > 0:
        _extend_accumulator(queue, merges)
        _complete_left(queue, merges)
    if merges < steps:
        _walk(queue, steps - merges)


@inner
def _flip(queue):
    """The front is finished and becomes the left, the back the right."""
    store(queue, LEFT, load(queue, FIRST))
    store(queue, RIGHT, load(queue, MIDDLE))
    store(queue, ACCUMULATOR, load(queue, CLOSED))
    store(queue, MIDDLE, load(queue, CLOSED))
    move(scratch(queue, MIDDLE_SUM), scratch(queue, BACK), load(queue, STATE_BYTES) >> 3)
    clear_scratch(queue, BACK)


@inner
def _extend_accumulator(queue, entries):
    """The last entries of the right come to hold the aggregate from themselves to the middle, if they are still there.
    """
    end = load(queue, ACCUMULATOR)
    start = end - entries
    carry = state_at(queue, end) if end < load(queue, MIDDLE) else 0
    suffixes_between(queue, max(start, load(queue, FIRST)), end, carry)
    store(queue, ACCUMULATOR, start)


@inner
def _complete_left(queue, entries):
    """The first entries of the left, which reach to the right, come to reach to the middle, and belong to the front.
    A bulk eviction may have taken some already: their places may belong to others, or lie outside the ring."""
    end, plan, middle_sum = load(queue, LEFT) + entries, load(queue, PLAN), scratch(queue, MIDDLE_SUM)
    for ordinal in range(max(load(queue, LEFT), load(queue, FIRST)), end):
        state = state_at(queue, ordinal)
        merge(plan, state, state, middle_sum)
    store(queue, LEFT, end)


@inner
def _walk(queue, entries):
    """With left and right used up, all of the accumulator already reaches to the middle: it joins the front."""
    at = load(queue, LEFT) + entries
    store(queue, LEFT, at)
    store(queue, RIGHT, at)
    store(queue, ACCUMULATOR, at)
    if at < load(queue, MIDDLE):
        move(scratch(queue, MIDDLE_SUM), state_at(queue, at), load(queue, STATE_BYTES) >> 3)
    else:
        clear_scratch(queue, MIDDLE_SUM)


@inner
def append_range(queue, low, high, into):
    """into ⊗= the aggregate of the times in [low, high); False if it is not kept.

    O(entries in range); O(log n + entries in the right region) if it reaches to the youngest.
    """
    not_inlined()
    first, last = search(queue, low, False), search(queue, high, False)
    middle = load(queue, MIDDLE)
    if first >= last:
        return True
    if last < middle:
        if load(queue, RIGHT) <= first and last <= load(queue, ACCUMULATOR):
            fold_between(queue, into, STATES, first, last)
            return True
        return fold_values(queue, into, first, last)
    if first < middle:
        _append_front(queue, into, first)
    append_back(queue, into, max(first, middle), last)
    return True


@inner
def _append_front(queue, into, first):
    """into ⊗= the entries from `first` to before the middle."""
    plan, right, accumulator = load(queue, PLAN), load(queue, RIGHT), load(queue, ACCUMULATOR)
    if right <= first < accumulator:
        fold_between(queue, into, STATES, first, accumulator)
        first = accumulator
    if first < load(queue, MIDDLE):
        merge(plan, into, into, state_at(queue, first))
    if load(queue, LEFT) <= first < right:
        merge(plan, into, into, scratch(queue, MIDDLE_SUM))


_answer = make_answer("daba_lite", operations_of("daba_lite", _aggregate_back, _drop, query, append_range))


def daba_lite_door(queue, operation, first, second, third):
    """The operations of _doors.py; CREATE: whether values are kept."""
    return _answer(queue, operation, first, second, third)


door = door_of(daba_lite_door)


class DabaLite(LiteWindow):
    """In order of time; with n entries, m in a burst or an eviction: insert, evict and query O(1) in the worst case,
    bulk_insert O(m) after sorting, bulk_evict O(m), range_query O(entries in range), len O(1). The worst case has one
    exception: an insertion costs O(n) where the memory grows, which ends once a window has its size.

    Memory: a time and a state an entry and an eighth of that; with keep_values, on by default, a state more. Without,
    range_query refuses ranges that end before the younger part of the window does.
    """

    CARD = Card("in order", "O(1) worst case", "O(m)", "O(1) worst case", "O(m)", "O(1) worst case", "O(entries)",
                "FIBA §7, baseline")
    door, _check = staticmethod(door), staticmethod(check_daba)


KERNEL = DabaLite
