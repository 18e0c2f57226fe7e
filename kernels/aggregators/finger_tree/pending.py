"""Late entries that wait, unsorted, to go into the tree together.

    tree   1 2 3 4 … 90 91 92      pending  (85, ·) (88, ·) (84, ·)     query = left leaf's suffix ⊗ young part,
                                                                         the young part counts them already

Where aggregates commute, the answer of a query doesn't need their place; everything else settles them first. Measured
with sums, window 2^22, one query an event: 16 to 1,024 places late 2 to 3 times as fast as an insertion each.
"""

from kernels.aggregators.finger_tree.bulk import insert_sorted
from kernels.aggregators.finger_tree.layout import (
    PENDING,
    PENDING_MOST,
    PENDING_OLDEST,
    PENDING_TIMES,
    PLAN,
    SORTED_TIMES,
    STATE_BYTES,
    WAITING,
    YOUNG,
    copy_state,
    pending_states,
    scratch,
    sorted_states,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.sorting import ascend, sort_pairs
from kernels.states import merge


@inner
def postpone(tree, time, state):
    """Let (time, state) wait; it is older than the tree's youngest entry."""
    not_inlined()
    hold(tree, time, state)
    young = scratch(tree, YOUNG)
    merge(load(tree, PLAN), young, young, state)


@inner
def hold(tree, time, state):
    """Let (time, state) wait; the query's young part is left to the caller."""
    if load(tree, PENDING) == PENDING_MOST:
        settle(tree)
    held = load(tree, PENDING)
    waiting = scratch(tree, WAITING)
    if held == 0:
        store(tree, PENDING_OLDEST, time)
        copy_state(tree, waiting, state)
    else:
        store(tree, PENDING_OLDEST, min(time, load(tree, PENDING_OLDEST)))
        merge(load(tree, PLAN), waiting, waiting, state)
    store(load(tree, PENDING_TIMES), held, time)
    copy_state(tree, pending_states(tree) + held * load(tree, STATE_BYTES), state)
    store(tree, PENDING, held + 1)


@inner
def settle(tree):
    """Insert what is waiting."""
    waiting = load(tree, PENDING)
    if waiting > 0:
        _settle(tree, waiting)


@inner
def _settle(tree, waiting):
    not_inlined()
    store(tree, PENDING, 0)
    times = load(tree, PENDING_TIMES)
    if ascend(times, waiting):
        insert_sorted(tree, times, pending_states(tree), waiting)
        return
    pairs = load(tree, SORTED_TIMES)
    for place in range(waiting):
        store(pairs, 2 * place, load(times, place))
        store(pairs, 2 * place + 1, place)
    pairs = sort_pairs(pairs, pairs + 16 * waiting, waiting)
    for place in range(waiting):
        source = pending_states(tree) + load(pairs, 2 * place + 1) * load(tree, STATE_BYTES)
        copy_state(tree, sorted_states(tree) + place * load(tree, STATE_BYTES), source)
        store(times, place, load(pairs, 2 * place))
    insert_sorted(tree, times, sorted_states(tree), waiting)
