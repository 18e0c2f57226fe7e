"""Late entries that wait, unsorted, to go into the tree together.

    tree   1 2 3 4 … 90 91 92      pending  (85, ·) (88, ·) (84, ·)     query = left leaf's suffix ⊗ young part,
                                                                         the young part counts them already

Where aggregates commute, the answer of a query doesn't need their place; everything else settles them first. Measured
with sums, window 2^22, one query an event: 16 to 1,024 places late 2 to 3 times as fast as an insertion each.
"""

from kernels.aggregators.finger_tree.bulk import insert_sorted
from kernels.aggregators.finger_tree.layout import PENDING_MOST, Tree, copy_state
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.sorting import Pairs, ascend, sort_pairs
from kernels.states import merge


@inner
def stage(tree: Tree, time, state):
    """Let (time, state), which is older than the tree's youngest entry, wait; the query's young part is left to the
    caller."""
    if tree.pending == PENDING_MOST:
        settle(tree)
    if tree.pending == 0:
        tree.pending_oldest = time
        copy_state(tree, tree.pending_sum, state)
    else:
        tree.pending_oldest = min(time, tree.pending_oldest)
        merge(tree.plan, tree.pending_sum, tree.pending_sum, state)
    tree.pending_times[tree.pending] = time
    copy_state(tree, tree.pending_states + tree.pending * tree.state_bytes, state)
    tree.pending += 1


@inner
def settle(tree):
    """Insert what is waiting."""
    if tree.pending > 0:
        _settle(tree)


@inner
def settle_until(tree, time):
    """Insert what is waiting, if some of it is at or before `time`."""
    if tree.pending > 0 and tree.pending_oldest <= time:
        _settle(tree)


@inner
def _settle(tree):
    not_inlined()
    waiting, tree.pending = tree.pending, 0
    if ascend(tree.pending_times, waiting):
        insert_sorted(tree, tree.pending_times, tree.pending_states, waiting)
    else:
        _sort(tree, waiting)
        insert_sorted(tree, tree.pending_times, tree.sorted_states, waiting)


@inner
def _sort(tree, waiting):
    """Put the times of what waits in order, and a copy of the states."""
    pairs = tree.pairs
    for place in range(waiting):
        pairs.at[place].key = tree.pending_times[place]
        pairs.at[place].value = place
    pairs = sort_pairs(pairs, Pairs(pairs.at[waiting:].address), waiting)
    for place in range(waiting):
        source = tree.pending_states + pairs.at[place].value * tree.state_bytes
        copy_state(tree, tree.sorted_states + place * tree.state_bytes, source)
        tree.pending_times[place] = pairs.at[place].key
