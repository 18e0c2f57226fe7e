"""Insertion of one entry or of a sorted burst, at any time (FIBA §5).

An entry at the young end goes into the right leaf and continues the cached young part. A late one, where aggregates
commute, waits unsorted for others, so that a single event costs little more than one of a burst; where they don't, it
goes into its leaf at once.

    tree   1 2 3 4 … 90 91 92      pending  (85, ·) (88, ·) (84, ·)     query = left leaf's suffix ⊗ young part,
                                                                         the young part counts them already

The answer of a query then doesn't need their place; everything else settles them first. Measured with sums, window
2^22, one query an event: 16 to 1,024 places late 2 to 3 times as fast as an insertion each.
"""

from windrow.kernels.aggregators._dispatch import DONE
from windrow.kernels.aggregators.finger_tree.bulk import FEW, append_sorted, insert_sorted
from windrow.kernels.aggregators.finger_tree.layout import (
    CHUNK,
    PENDING_MOST,
    Tree,
    is_empty,
    mark_query_dirty,
    right_leaf,
    state_at,
    youngest,
)
from windrow.kernels.runtime.fields import Times
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.sorting import Pairs, ascend, sort_pairs
from windrow.kernels.states import copy_state, fold, lift_each, merge


@inner
def insert(tree: Tree, time, state, row):
    """Insert (time, state); at a time that is there already the state is combined behind the one there; DONE.

    O(1) amortised at the young end, else O(log d) amortised. `state` must not lie in the tree's nodes.
    """
    leaf = right_leaf(tree)
    end = leaf.end
    if end > 0 and time <= leaf.times[end - 1]:
        _insert_older(tree, time, state)
        return DONE
    if end == tree.leaf_max:
        tree.one_time[0] = time
        append_sorted(tree, tree.one_time, state, 1)
    else:
        leaf.times[end] = time
        copy_state(tree, state_at(tree, 0, leaf, end), state)
        leaf.end = end + 1
    _extend_young(tree, state)
    return DONE


@inner
def _extend_young(tree, state):
    """Let the young part count one state more, unless it is to be made again anyway."""
    if not tree.young_dirty:
        merge(tree.plan, tree.young, tree.young, state)


@inner
def _insert_older(tree, time, state):
    not_inlined()
    if time == youngest(tree):
        _combine_with_youngest(tree, state)
    elif tree.is_commutative:
        stage(tree, time, state)
        _extend_young(tree, state)
    else:
        tree.one_time[0] = time
        insert_sorted(tree, tree.one_time, state, 1)
        mark_query_dirty(tree)


@inner
def _combine_with_youngest(tree, state):
    leaf = right_leaf(tree)
    slot = leaf.end - 1
    there = state_at(tree, 0, leaf, slot)
    merge(tree.plan, there, there, state)
    if tree.height == 0 and slot < tree.suffix_end:
        mark_query_dirty(tree)
    else:
        _extend_young(tree, state)


@inner
def insert_burst(tree: Tree, times: Times, source, rows):
    """Insert events whose times ascend; event i is row i of `source` (kernels/states); DONE.

    O(m log(d / m)) for m events, the earliest of which has d entries behind it.
    """
    not_inlined()
    for first in range(0, rows, CHUNK):
        end = min(first + CHUNK, rows)
        lift_each(tree.plan, tree.lifted, tree.state_bytes, source, first, end)
        _insert_chunk(tree, times[first:], end - first)
    return DONE


@inner
def _insert_chunk(tree, times, rows):
    """Insert what is lifted."""
    if rows <= FEW:
        for row in range(rows):
            insert(tree, times[row], tree.lifted + row * tree.state_bytes, row)
        return
    continues_young = tree.is_commutative or is_empty(tree) or times[0] >= youngest(tree)
    insert_sorted(tree, times, tree.lifted, rows)
    if not continues_young:
        mark_query_dirty(tree)
    elif not tree.young_dirty:
        fold(tree.plan, tree.young, tree.lifted, tree.state_bytes, rows)


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
    waiting, states, tree.pending = tree.pending, tree.pending_states, 0
    if not ascend(tree.pending_times, waiting):
        states = tree.sorted_states
        _sort(tree, waiting)
    insert_sorted(tree, tree.pending_times, states, waiting)


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
