"""DABA lite: two-stacks lite without its pauses; the next front is made bit by bit. In order of time only.

The queue has regions, and the state of an entry means something else in each region. Times 1 to 10 inserted, sum:

    time      1   2 |  3   4 |  5   6 |  7   8 |  9 | 10
    holds    36  35 |  7   4 |  5   6 | 15   8 |  9 | 10
             front    left     right    accum.   back open

    front, accumulator   itself to the end of the accumulator (the middle): 35 = 2+3+…+8, 15 = 7+8
    left                 itself to the end of the left: 7 = 3+4; middle_sum = 5+6+7+8 = 26 is what is missing
    right, back          itself; back = 9

    query() = 36 + 9 + 10. Each insertion and each eviction is one step: the accumulator takes an entry from the right
    (6 becomes 6 + 15 = 21), and the front takes one from the left (7 becomes 7 + 26 = 33). Left and right have the
    same length, so they are used up together. Then the front walks through the accumulator. It reaches the middle
    when the back has grown as long as the front. Then a flip makes front and back the new left and right; it only
    moves the borders.

A burst of m entries is m steps. The steps up to the next flip are done together, by one call for the accumulator.

Source: DABA Lite, Tangwongsan, Hirzel, Schneider, "In-order sliding-window aggregation in worst-case constant time"
(VLDB Journal 2021); FIBA §7, a baseline.
"""

from windrow.kernels.aggregators._window import Card
from windrow.kernels.aggregators.baselines._queue import drop_before, fold_between, state_at
from windrow.kernels.aggregators.baselines._queue.check import check_daba
from windrow.kernels.aggregators.baselines._queue.in_order import LiteWindow, in_order_operations, suffixes_between
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.states import clear, copy_state, merge


@inner
def _aggregate_back(queue):
    """Take up what the open entry no longer holds back: a step per entry, done by as many at once as have one flip."""
    while queue.closed < queue.end - 1:
        steps = min(queue.end - 1 - queue.closed, _steps_to_flip(queue))
        fold_between(queue, queue.back, queue.states, queue.closed, queue.closed + steps)
        queue.closed += steps
        _step(queue, steps)


@inner
def _drop(queue, ordinal):
    """Forget the entries before `ordinal`: a step per entry."""
    while queue.first < ordinal:
        steps = min(ordinal - queue.first, _steps_to_flip(queue))
        drop_before(queue, queue.first + steps)
        _step(queue, steps)


@inner
def _steps_to_flip(queue):
    """How many steps can be done at once: those before the next flip, or the one that begins with it."""
    return max(1, queue.middle - queue.left)


@inner
def _step(queue, steps):
    """After so many insertions, or so many evictions: as much of the work on the next front."""
    not_inlined()
    if queue.left == queue.middle:
        _flip(queue)
    if queue.first == queue.middle:
        clear(queue.plan, queue.back)
        clear(queue.plan, queue.middle_sum)
        return
    merges = min(steps, queue.right - queue.left)
    if merges > 0:
        _extend_accumulator(queue, merges)
        _complete_left(queue, merges)
    if merges < steps:
        _walk(queue, steps - merges)


@inner
def _flip(queue):
    """The front is finished and becomes the left, the back the right."""
    queue.left, queue.right = queue.first, queue.middle
    queue.accumulator = queue.middle = queue.closed
    copy_state(queue, queue.middle_sum, queue.back)
    clear(queue.plan, queue.back)


@inner
def _extend_accumulator(queue, entries):
    """The last entries of the right come to hold the aggregate from themselves to the middle, if still there."""
    end = queue.accumulator
    carry = state_at(queue, end) if end < queue.middle else 0
    queue.accumulator -= entries
    suffixes_between(queue, max(queue.accumulator, queue.first), end, carry)


@inner
def _complete_left(queue, entries):
    """The first entries of the left, which reach to the right, come to reach to the middle, and belong to the front.
    A bulk eviction may have taken some already: their places may belong to others, or lie outside the ring."""
    plan, middle_sum, end = queue.plan, queue.middle_sum, queue.left + entries
    for ordinal in range(max(queue.left, queue.first), end):
        state = state_at(queue, ordinal)
        merge(plan, state, state, middle_sum)
    queue.left = end


@inner
def _walk(queue, entries):
    """With left and right used up, all of the accumulator already reaches to the middle: it joins the front."""
    queue.left += entries
    queue.right = queue.accumulator = queue.left
    if queue.left < queue.middle:
        copy_state(queue, queue.middle_sum, state_at(queue, queue.left))
    else:
        clear(queue.plan, queue.middle_sum)


class DabaLite(LiteWindow):
    """In order of time. With n entries in the window, and m in a burst or an eviction: insert, evict and query O(1) in
    the worst case, bulk_insert O(m) after sorting, bulk_evict O(m), range_query O(entries in range), len O(1). The
    worst case has one exception: an insertion costs O(n) when the memory grows, which stops once a window has its size.

    Memory: for each entry a time and a state, plus an eighth of that, and one more state with keep_values (the
    default). Without keep_values, range_query refuses ranges that end before the younger part of the window does.
    """

    CARD = Card(
        "in order",
        "O(1) worst case",
        "O(m)",
        "O(1) worst case",
        "O(m)",
        "O(1) worst case",
        "O(entries)",
        "FIBA §7, baseline",
    )
    OPERATIONS = in_order_operations("daba_lite", _aggregate_back, _drop)
    _check = staticmethod(check_daba)


KERNEL = DabaLite
