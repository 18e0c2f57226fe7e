"""A queue of entries (time, state) in order of time: what the kernels that take events in order stand on.

Entries are numbered through, from 0 on; one of number `ordinal` stands in a ring at place ordinal − lap, or, behind the
ring's end, at that − capacity. Eleven entries at times 10 to 20, of which five are evicted, in a ring of eight:

    place    0   1   2   3   4   5   6   7      first 5: time 15, the oldest, at place 5 − lap = 5
    time    18  19  20   ·   ·  15  16  17      end 11; closed 10: what is before it, a kernel has aggregated
    ordinal  8   9  10           5   6   7

The youngest entry (time 20) is open: events of its own time are combined into it, and only what follows closes it. Thus
no aggregate of a kernel's structure ever has to be taken back.

Insertion O(1), but O(n) where the ring has to grow, by an eighth: a window that only grows is copied nine times over,
one that slides not at all. Memory: times and states in two blocks, at most 9/8 of (1 + words of a state) words an
entry; once more the states if values are kept. Blocks never shrink.
"""

from windrow.kernels.aggregators._dispatch import FOREVER, Entry, entry_bytes
from windrow.kernels.runtime.bisection import searches
from windrow.kernels.runtime.fields import Address, Bytes, Count, Flag, Integer, Microseconds, Pointer, Ref
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined, release, resize
from windrow.kernels.runtime.struct import Struct, allocate, words_at
from windrow.kernels.states import clear, copy_state, fold, merge
from windrow.kernels.states.layout import StatePlan

LEAST_CAPACITY = 8
Ordinal = Integer("number of an entry, from the first that ever was")


class Queue(Struct):
    """A ring of entries, and what the kernels keep of them. Entries from `middle` on hold their own states.

    values: the entries' own states, for kernels that overwrite those in `states` with aggregates; 0 if none are kept
    lap: the ordinal that stands at place 0; closed: the entries before it, a kernel has taken up
    result, new, back, middle_sum: states that the kernels work with
    left, right, accumulator: where the regions of DABA end, 0 in other kernels; found: where the last search ended
    """

    times: Pointer(Microseconds)
    states: Address
    values: Address
    keeps_values: Flag()
    capacity: Count
    lap: Ordinal
    first: Ordinal
    closed: Ordinal
    end: Ordinal
    plan: Ref(StatePlan)
    state_bytes: Bytes
    result: Address
    new: Address
    back: Address
    middle_sum: Address
    middle: Ordinal
    left: Ordinal
    right: Ordinal
    accumulator: Ordinal
    found: Ordinal


@inner
def create(plan: StatePlan, keeps_values, unused):
    """Address of an empty queue over the states of a plan, which must outlive it."""
    not_inlined()
    queue = allocate(Queue)
    queue.plan, queue.keeps_values = plan, keeps_values != 0
    queue.state_bytes = WORD_BYTES * plan.state_words
    queue.result = resize(0, 4 * plan.state_words)
    queue.new = queue.result + queue.state_bytes
    queue.back = queue.new + queue.state_bytes
    queue.middle_sum = queue.back + queue.state_bytes
    _enlarge(queue, LEAST_CAPACITY)
    reset(queue)
    return queue.address


@inner
def destroy(queue: Queue):
    release(queue.times.address)
    release(queue.states)
    release(queue.values)
    release(queue.result)
    release(queue.address)


@inner
def reset(queue: Queue):
    """Empty the queue, whatever kernel it belongs to; its memory is kept."""
    not_inlined()
    queue.lap = queue.first = queue.closed = queue.end = 0
    queue.middle = queue.left = queue.right = queue.accumulator = queue.found = 0
    for state in (queue.result, queue.new, queue.back, queue.middle_sum):
        clear(queue.plan, state)


@inner
def is_empty(queue: Queue):
    return queue.first == queue.end


@inner
def place(queue, ordinal):
    """Where an entry stands in the blocks; no division."""
    at = ordinal - queue.lap
    return at - queue.capacity if at >= queue.capacity else at


@inner
def time_at(queue, ordinal):
    return queue.times[place(queue, ordinal)]


@inner
def state_at(queue, ordinal):
    """Address of an entry's state; it holds until the next insertion."""
    return queue.states + place(queue, ordinal) * queue.state_bytes


@inner
def before_wrap(queue, ordinal, entries):
    """How many of the entries from `ordinal` on stand in one row before the ring's end."""
    return min(entries, queue.capacity - place(queue, ordinal))


@inner
def fold_between(queue, into, states, first, end):
    """into ⊗= the entries [first, end); states: the queue's `states` or its `values`."""
    size = queue.state_bytes
    if end - first == 1:
        merge(queue.plan, into, into, states + place(queue, first) * size)
        return
    while first < end:
        here = before_wrap(queue, first, end - first)
        fold(queue.plan, into, states + place(queue, first) * size, size, here)
        first += here


@inner
def drop_before(queue, ordinal):
    queue.first = ordinal
    if ordinal - queue.lap >= queue.capacity:
        queue.lap += queue.capacity


@inner
def reserve(queue, entries):
    needed = queue.end - queue.first + entries
    if needed > queue.capacity:
        _enlarge(queue, needed + (needed >> 3) + 4)


@inner
def _enlarge(queue, capacity):
    not_inlined()
    words = queue.state_bytes // WORD_BYTES
    queue.times = words_at(_enlarged(queue, queue.times.address, 1, capacity))
    queue.states = _enlarged(queue, queue.states, words, capacity)
    if queue.keeps_values:
        queue.values = _enlarged(queue, queue.values, words, capacity)
    if queue.end - queue.lap > queue.capacity:
        queue.lap += queue.capacity - capacity
    queue.capacity = capacity


@inner
def _enlarged(queue, block, words, capacity):
    """A block with more room; the older part of a ring that wraps moves to its new end."""
    block = resize(block, words * capacity)
    if queue.end - queue.lap > queue.capacity:
        start = queue.first - queue.lap
        older, size = queue.capacity - start, WORD_BYTES * words
        move(block + size * (capacity - older), block + size * start, words * older)
    return block


@inner
def _is_before(queue, ordinal, sought):
    time, inclusive = sought
    at = time_at(queue, ordinal)
    return at < time or (inclusive and at == time)


_ORDINALS = searches("queue", _is_before)
_gallop, _gallop_back = _ORDINALS.gallop, _ORDINALS.gallop_back


@inner
def search(queue, time, inclusive):
    """Ordinal of the first entry at or after `time`; inclusive: of the first after it. O(log d), d entries from where
    the last search ended.

    Galloping from there: evictions go on from the last one, and so do the windows that a replay asks for.
    """
    start, sought = max(queue.first, min(queue.found, queue.end)), (time, inclusive)
    if start == queue.first or _is_before(queue, start - 1, sought):
        queue.found = _gallop(queue, start, queue.end, sought)
    else:
        queue.found = _gallop_back(queue, queue.first, start - 1, sought)
    return queue.found


@inner
def oldest(queue: Queue):
    return FOREVER if is_empty(queue) else time_at(queue, queue.first)


@inner
def youngest(queue: Queue):
    return -FOREVER if is_empty(queue) else time_at(queue, queue.end - 1)


@inner
def first_from(queue: Queue, time):
    ordinal = search(queue, time, False)
    return FOREVER if ordinal == queue.end else time_at(queue, ordinal)


@inner
def count(queue: Queue):
    return queue.end - queue.first


@inner
def count_between(queue: Queue, low, high):
    return max(0, search(queue, high, False) - search(queue, low, False))


@inner
def copy_entries(queue: Queue, low, high, target):
    """An Entry of each of the entries with times in [low, high): from the kept values, or else from the states, which
    a kernel that overwrites them with aggregates must not be asked for."""
    states = queue.values if queue.values != 0 else queue.states
    for ordinal in range(search(queue, low, False), search(queue, high, False)):
        entry = Entry(target)
        entry.time = time_at(queue, ordinal)
        copy_state(queue, entry.state.address, states + place(queue, ordinal) * queue.state_bytes)
        target += entry_bytes(queue.state_bytes)


READS = (create, destroy, reset, oldest, youngest, first_from, is_empty, count, count_between, copy_entries)
"""Operations (_dispatch.py) of every kernel over a queue."""
