"""Insertion of one entry or of a sorted burst, at any time (FIBA §5).

An entry at the young end goes into the right leaf and continues the cached young part. A late one, where aggregates
commute, waits for others (pending.py), so that a single event costs little more than one of a burst; where they don't,
it goes into its leaf at once.
"""

from kernels.aggregators.finger_tree.bulk import append_sorted, insert_sorted
from kernels.aggregators.finger_tree.layout import CHUNK, copy_state, entry_state, mark_query_dirty
from kernels.aggregators.finger_tree.pending import stage
from kernels.aggregators.finger_tree.search import is_empty, right_leaf, youngest
from kernels.runtime.memory import inner, not_inlined
from kernels.states import fold, lift_each, merge

FEW = 8


@inner
def insert(tree, time, state):
    """Insert (time, state); at a time that is there already the state is combined behind the one there.

    O(1) amortised at the young end, else O(log d) amortised. `state` must not lie in the tree's nodes.
    """
    leaf = right_leaf(tree)
    end = leaf.end
    if end > 0 and time <= leaf.times[end - 1]:
        _insert_older(tree, time, state)
        return
    if end == tree.leaf_max:
        _one_entry(tree, time, state)
        append_sorted(tree, tree.one_time, tree.one_state, 1)
    else:
        leaf.times[end] = time
        copy_state(tree, entry_state(tree, leaf, end), state)
        leaf.end = end + 1
    _extend_young(tree, state)


@inner
def _extend_young(tree, state):
    """Let the young part count one state more, unless it is to be made again anyway."""
    if not tree.young_dirty:
        merge(tree.plan, tree.young, tree.young, state)


@inner
def _one_entry(tree, time, state):
    """Make an entry a burst of its own."""
    tree.one_time[0] = time
    copy_state(tree, tree.one_state, state)


@inner
def _insert_older(tree, time, state):
    """Insert at or before the youngest time."""
    not_inlined()
    if time == youngest(tree):
        _combine_with_youngest(tree, state)
    elif tree.is_commutative:
        stage(tree, time, state)
        _extend_young(tree, state)
    else:
        _one_entry(tree, time, state)
        insert_sorted(tree, tree.one_time, tree.one_state, 1)
        mark_query_dirty(tree)


@inner
def _combine_with_youngest(tree, state):
    leaf = right_leaf(tree)
    slot = leaf.end - 1
    there = entry_state(tree, leaf, slot)
    merge(tree.plan, there, there, state)
    if tree.height == 0 and slot < tree.suffix_end:
        mark_query_dirty(tree)
    else:
        _extend_young(tree, state)


@inner
def insert_burst(tree, times, source, rows):
    """Insert events whose times ascend; event i is row i of `source` (kernels/states).

    O(m log(d / m)) for m events, the earliest of which has d entries behind it.
    """
    not_inlined()
    for first in range(0, rows, CHUNK):
        end = min(first + CHUNK, rows)
        lift_each(tree.plan, tree.lifted, tree.state_bytes, source, first, end)
        _insert_chunk(tree, times[first:], end - first)


@inner
def _insert_chunk(tree, times, rows):
    """Insert what is lifted."""
    if rows <= FEW:
        for row in range(rows):
            insert(tree, times[row], tree.lifted + row * tree.state_bytes)
        return
    continues_young = tree.is_commutative or is_empty(tree) or times[0] >= youngest(tree)
    insert_sorted(tree, times, tree.lifted, rows)
    if not continues_young:
        mark_query_dirty(tree)
    elif not tree.young_dirty:
        fold(tree.plan, tree.young, tree.lifted, tree.state_bytes, rows)
