"""Where everything of a queue stands in memory."""

from kernels.memory import inner, load, move, not_inlined, release, resize, store
from kernels.plan import STATE_WORDS
from kernels.states import clear, fold, merge

TIMES, STATES, VALUES, KEEPS_VALUES, CAPACITY = range(5)
LAP, FIRST, CLOSED, END, PLAN, STATE_BYTES, SCRATCH = range(5, 12)
MIDDLE, LEFT, RIGHT, ACCUMULATOR = range(12, 16)  # ordinals of the two lite kernels
FOUND = 16  # ordinal at which the last search ended
HEADER_WORDS = 17
RESULT, NEW, BACK, MIDDLE_SUM = range(4)  # numbers of scratch states
SCRATCH_STATES = 4
LEAST_CAPACITY = 8


@inner
def create(plan, keep_values):
    """Address of an empty queue over the states of `plan`, which must outlive it.

    keep_values: keep a copy of every entry's state in the block VALUES, for kernels that overwrite those in STATES.
    """
    not_inlined()
    queue = resize(0, HEADER_WORDS)
    for word in range(HEADER_WORDS):
        store(queue, word, 0)
    store(queue, PLAN, plan)
    store(queue, KEEPS_VALUES, 1 if keep_values else 0)
    store(queue, STATE_BYTES, 8 * load(plan, STATE_WORDS))
    store(queue, SCRATCH, resize(0, SCRATCH_STATES * load(plan, STATE_WORDS)))
    _enlarge(queue, LEAST_CAPACITY)
    reset(queue)
    return queue


@inner
def destroy(queue):
    """Give all memory of a queue back."""
    release(load(queue, TIMES))
    release(load(queue, STATES))
    release(load(queue, VALUES))
    release(load(queue, SCRATCH))
    release(queue)


@inner
def reset(queue):
    """Empty the queue, whatever kernel it belongs to; its memory is kept."""
    not_inlined()
    for word in (LAP, FIRST, CLOSED, END, MIDDLE, LEFT, RIGHT, ACCUMULATOR, FOUND):
        store(queue, word, 0)
    for number in range(SCRATCH_STATES):
        clear_scratch(queue, number)


@inner
def is_empty(queue):
    return load(queue, FIRST) == load(queue, END)


@inner
def oldest(queue):
    """Time of the oldest entry; the queue must not be empty."""
    return time_at(queue, load(queue, FIRST))


@inner
def youngest(queue):
    """Time of the youngest entry; the queue must not be empty."""
    return time_at(queue, load(queue, END) - 1)


@inner
def place(queue, ordinal):
    """Where an entry stands in the blocks; no division."""
    at = ordinal - load(queue, LAP)
    capacity = load(queue, CAPACITY)
    return at - capacity if at >= capacity else at


@inner
def time_at(queue, ordinal):
    return load(load(queue, TIMES), place(queue, ordinal))


@inner
def state_at(queue, ordinal):
    """Address of an entry's state; it holds until the next insertion."""
    return load(queue, STATES) + place(queue, ordinal) * load(queue, STATE_BYTES)


@inner
def scratch(queue, number):
    """Address of a scratch state."""
    return load(queue, SCRATCH) + number * load(queue, STATE_BYTES)


@inner
def clear_scratch(queue, number):
    """The scratch state of that number, made the identity."""
    state = scratch(queue, number)
    clear(load(queue, PLAN), state)
    return state


@inner
def before_wrap(queue, ordinal, entries):
    """How many of the entries from `ordinal` on stand in one row before the ring's end."""
    return min(entries, load(queue, CAPACITY) - place(queue, ordinal))


@inner
def fold_between(queue, into, block, first, end):
    """into ⊗= the states of the entries [first, end); block: STATES or VALUES."""
    plan, size, states = load(queue, PLAN), load(queue, STATE_BYTES), load(queue, block)
    if end - first == 1:
        merge(plan, into, into, states + place(queue, first) * size)
        return
    while first < end:
        here = before_wrap(queue, first, end - first)
        fold(plan, into, states + place(queue, first) * size, size, here)
        first += here


@inner
def drop_before(queue, ordinal):
    """Forget the entries before `ordinal`."""
    store(queue, FIRST, ordinal)
    if ordinal - load(queue, LAP) >= load(queue, CAPACITY):
        store(queue, LAP, load(queue, LAP) + load(queue, CAPACITY))


@inner
def reserve(queue, entries):
    """Make room for so many entries more."""
    needed = load(queue, END) - load(queue, FIRST) + entries
    if needed > load(queue, CAPACITY):
        _enlarge(queue, needed + (needed >> 3) + 4)


@inner
def _enlarge(queue, capacity):
    not_inlined()
    words = load(queue, STATE_BYTES) >> 3
    _enlarge_block(queue, TIMES, 1, capacity)
    _enlarge_block(queue, STATES, words, capacity)
    if load(queue, KEEPS_VALUES):
        _enlarge_block(queue, VALUES, words, capacity)
    if load(queue, END) - load(queue, LAP) > load(queue, CAPACITY):
        store(queue, LAP, load(queue, LAP) + load(queue, CAPACITY) - capacity)
    store(queue, CAPACITY, capacity)


@inner
def _enlarge_block(queue, block, words, capacity):
    """Enlarge a block; the older part of a ring that wraps moves to its new end."""
    address = resize(load(queue, block), words * capacity)
    store(queue, block, address)
    before, lap = load(queue, CAPACITY), load(queue, LAP)
    if load(queue, END) - lap > before:
        start = load(queue, FIRST) - lap
        older = before - start
        move(address + 8 * words * (capacity - older), address + 8 * words * start, words * older)
