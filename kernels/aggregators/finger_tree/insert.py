"""Insertion of one entry or of a sorted burst, at any time (FIBA §5).

An entry at the young end goes into the right leaf and continues the cached young part. A late one, where aggregates
commute, waits for others (pending.py), so that a single event costs little more than one of a burst; where they don't,
it goes into its leaf at once.
"""

from kernels.aggregators.finger_tree.bulk import append_sorted, insert_sorted
from kernels.aggregators.finger_tree.layout import (
    CHUNK,
    END,
    IS_COMMUTATIVE,
    KEYS,
    LEAF_MAX,
    LEFT,
    NEW,
    ONE_TIME,
    PLAN,
    RIGHT,
    STATE_BYTES,
    SUFFIX_END,
    YOUNG,
    copy_state,
    entry_state,
    lifted_states,
    scratch,
    soil_query,
)
from kernels.aggregators.finger_tree.pending import postpone
from kernels.aggregators.finger_tree.search import is_empty, right_leaf, youngest
from kernels.memory import inner, load, not_inlined, store
from kernels.states import fold, lift_each, merge

FEW = 8


@inner
def insert(tree, time, state):
    """Insert (time, state); at a time that is there already the state is combined behind the one there.

    O(1) amortised at the young end, else O(log d) amortised. `state` must not lie in the tree's nodes.
    """
    leaf = right_leaf(tree)
    end = load(leaf, END)
    if end > 0 and time <= load(leaf, KEYS + end - 1):
        _insert_older(tree, time, state)
        return
    if end == load(tree, LEAF_MAX):
        append_sorted(tree, *_alone(tree, time, state))
    else:
        store(leaf, KEYS + end, time)
        copy_state(tree, entry_state(tree, leaf, end), state)
        store(leaf, END, end + 1)
    young = scratch(tree, YOUNG)
    merge(load(tree, PLAN), young, young, state)


@inner
def _alone(tree, time, state):
    """One entry as a sorted burst: (address of times, address of states, 1)."""
    store(tree, ONE_TIME, time)
    new = scratch(tree, NEW)
    copy_state(tree, new, state)
    return tree + 8 * ONE_TIME, new, 1


@inner
def _insert_older(tree, time, state):
    """Insert at or before the youngest time."""
    not_inlined()
    if time == youngest(tree):
        _combine_with_youngest(tree, state)
    elif load(tree, IS_COMMUTATIVE) == 1:
        postpone(tree, time, state)
    else:
        insert_sorted(tree, *_alone(tree, time, state))
        soil_query(tree)


@inner
def _combine_with_youngest(tree, state):
    leaf = right_leaf(tree)
    slot = load(leaf, END) - 1
    there = entry_state(tree, leaf, slot)
    merge(load(tree, PLAN), there, there, state)
    if load(tree, LEFT) == load(tree, RIGHT) and slot < load(tree, SUFFIX_END):
        soil_query(tree)
    else:
        young = scratch(tree, YOUNG)
        merge(load(tree, PLAN), young, young, state)


@inner
def insert_burst(tree, times, source, rows):
    """Insert events whose times ascend; event i is row i of `source` (kernels/states.py). times: address.

    O(m log(d / m)) for m events, the earliest of which has d entries behind it.
    """
    not_inlined()
    for first in range(0, rows, CHUNK):
        end = min(first + CHUNK, rows)
        lift_each(load(tree, PLAN), lifted_states(tree), load(tree, STATE_BYTES), source, first, end)
        _insert_chunk(tree, times + 8 * first, lifted_states(tree), end - first)


@inner
def _insert_chunk(tree, times, states, rows):
    if rows <= FEW:
        for row in range(rows):
            insert(tree, load(times, row), states + row * load(tree, STATE_BYTES))
        return
    at_young_end = is_empty(tree) or load(times, 0) >= youngest(tree)
    insert_sorted(tree, times, states, rows)
    if at_young_end or load(tree, IS_COMMUTATIVE) == 1:
        fold(load(tree, PLAN), scratch(tree, YOUNG), states, load(tree, STATE_BYTES), rows)
    else:
        soil_query(tree)
