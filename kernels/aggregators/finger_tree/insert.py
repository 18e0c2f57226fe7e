"""Insertion of one entry or of a sorted burst, at any time (FIBA §5)."""

from kernels.aggregators.finger_tree.layout import (
    CHANGE,
    CLEAN,
    HEIGHT,
    IS_COMMUTATIVE,
    KEYS,
    LEFT,
    LEFT_DIRTY,
    MAX_ARITY,
    MIDDLE,
    MIDDLE_DIRTY,
    NEW,
    PATH,
    PLAN,
    RIGHT,
    RIGHT_DIRTY,
    RIGHT_SIDE,
    SIZE,
    SLOT,
    clear_scratch,
    node_address,
    scratch,
    state_at,
)
from kernels.aggregators.finger_tree.search import entry_slot, extend_path, find_path
from kernels.aggregators.finger_tree.split import insert_and_split, open_slot, refold
from kernels.memory import inner, load, not_inlined, store
from kernels.states import gather, merge


@inner
def insert(tree, time, state):
    """Insert (time, state); at a time that is there already the state is combined behind the one there.

    O(log d) amortised. The aggregates of the ancestors up to the spine are brought up to date, those above it
    don't cover the place. `state` must not lie in the tree's nodes.
    """
    not_inlined()
    top = find_path(tree, time)
    leaf = node_address(tree, load(tree, PATH))
    slot = entry_slot(leaf, time)
    size = load(leaf, SIZE)
    if slot < size and load(leaf, KEYS + slot) == time:
        there = state_at(tree, leaf, slot)
        merge(load(tree, PLAN), there, there, state)
        _propagate(tree, state, slot == size - 1)
    elif size < load(tree, MAX_ARITY):
        open_slot(tree, leaf, slot, time, state)
        _propagate(tree, state, slot == size)
    else:
        extend_path(tree, top)
        insert_and_split(tree, slot, time, state)


@inner
def insert_burst(tree, times, source, burst):
    """Insert `burst` events, whose times ascend; event i is row i of `source` (states.gather). times: address.

    All that goes into one leaf costs one search and one repair of what covers the leaf.
    """
    not_inlined()
    row = 0
    while row < burst:
        time = load(times, row)
        top = find_path(tree, time)
        leaf = node_address(tree, load(tree, PATH))
        if load(leaf, SIZE) == load(tree, MAX_ARITY):
            state = scratch(tree, NEW)
            gather(load(tree, PLAN), state, source, row, row + 1)
            insert(tree, time, state)
            row += 1
        else:
            row = _fill_leaf(tree, _leaf_end(tree, top), times, source, row, burst)


@inner
def _leaf_end(tree, top):
    """(whether the path's leaf ends before some other one, first time that is not its own)."""
    for level in range(1, top + 1):
        node = node_address(tree, load(tree, PATH + level))
        slot = load(tree, SLOT + level) + 1
        if slot < load(node, SIZE):
            return True, load(node, KEYS + slot)
    return False, 0


@inner
def _fill_leaf(tree, end, times, source, row, burst):
    """Insert events into one leaf until it is full or an event belongs elsewhere; returns the next event."""
    not_inlined()
    plan, state = load(tree, PLAN), scratch(tree, NEW)
    leaf = node_address(tree, load(tree, PATH))
    change = clear_scratch(tree, CHANGE)
    at_end = entry_slot(leaf, load(times, row)) >= load(leaf, SIZE) - 1
    while row < burst and load(leaf, SIZE) < load(tree, MAX_ARITY):
        time = load(times, row)
        if end[0] and time >= end[1]:
            break
        gather(plan, state, source, row, row + 1)
        merge(plan, change, change, state)
        slot = entry_slot(leaf, time)
        if slot < load(leaf, SIZE) and load(leaf, KEYS + slot) == time:
            there = state_at(tree, leaf, slot)
            merge(plan, there, there, state)
        else:
            at_end = at_end and slot == load(leaf, SIZE)
            open_slot(tree, leaf, slot, time, state)
        row += 1
    _propagate(tree, change, at_end)
    return row


@inner
def _propagate(tree, state, is_last):
    """After one state went into the leaf of the path: repair what covers it, up to the spine."""
    not_inlined()
    level = 0
    while True:
        number = load(tree, PATH + level)
        if number == load(tree, RIGHT + level):
            _soil_right(tree, level, state, is_last)
            return
        if number == load(tree, LEFT + level):
            store(tree, LEFT_DIRTY, max(level, load(tree, LEFT_DIRTY)))
            return
        parent = node_address(tree, load(tree, PATH + level + 1))
        slot = load(tree, SLOT + level + 1)
        if load(tree, IS_COMMUTATIVE) == 1:
            there = state_at(tree, parent, slot)
            merge(load(tree, PLAN), there, there, state)
        else:
            refold(tree, parent, slot)
        level += 1


@inner
def _soil_right(tree, level, state, is_last):
    """The right spine changed at `level`; at the young end the cached aggregate is continued, not made again."""
    height = load(tree, HEIGHT)
    if level == height and height > 0:
        store(tree, MIDDLE_DIRTY, 1)
    elif level > 0 or not is_last:
        store(tree, RIGHT_DIRTY, max(level, load(tree, RIGHT_DIRTY)))
        store(tree, MIDDLE_DIRTY, load(tree, MIDDLE_DIRTY) | (height == 0))
    elif height == 0 and load(tree, MIDDLE_DIRTY) == 0:
        merge(load(tree, PLAN), scratch(tree, MIDDLE), scratch(tree, MIDDLE), state)
    elif height > 0 and load(tree, RIGHT_DIRTY) == CLEAN:
        merge(load(tree, PLAN), scratch(tree, RIGHT_SIDE), scratch(tree, RIGHT_SIDE), state)
