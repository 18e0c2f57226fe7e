"""Aggregates of the whole window, and of any range of times.

Every node on a spine has no aggregate in its parent; instead each spine caches, per level, the aggregate of its nodes
from there to the root (FIBA's left and right aggregates), and the tree the aggregate of the root's inner part. What
an update made wrong is noted by level, and repaired by the next query, so that a burst pays for one repair.
"""

from kernels.aggregators.finger_tree.layout import (
    CLEAN,
    HEIGHT,
    IS_COMMUTATIVE,
    KEYS,
    LEFT,
    LEFT_DIRTY,
    LEFT_SIDE,
    LEVEL,
    MIDDLE,
    MIDDLE_DIRTY,
    PLAN,
    RESULT,
    RIGHT,
    RIGHT_DIRTY,
    RIGHT_SIDE,
    SIZE,
    SPARE,
    STATE_BYTES,
    child_at,
    clear_scratch,
    copy_state,
    node_address,
    scratch,
    state_at,
)
from kernels.aggregators.finger_tree.search import child_slot, cover_level, entry_slot
from kernels.memory import inner, load, not_inlined, store
from kernels.states import fold, merge


@inner
def query(tree):
    """Address of the aggregate of all entries, valid until the next call: three combines, and the repairs
    that are due."""
    not_inlined()
    repair(tree)
    result = clear_scratch(tree, RESULT)
    if load(tree, HEIGHT) == 0:
        copy_state(tree, result, scratch(tree, MIDDLE))
        return result
    plan = load(tree, PLAN)
    merge(plan, result, scratch(tree, LEFT_SIDE), scratch(tree, MIDDLE))
    merge(plan, result, result, scratch(tree, RIGHT_SIDE))
    return result


@inner
def repair(tree):
    """Bring the cached aggregates up to date, from the highest level that changed down to the fingers."""
    not_inlined()
    height = load(tree, HEIGHT)
    for level in range(min(load(tree, LEFT_DIRTY), height - 1), -1, -1):
        _cache_left(tree, level, height)
    for level in range(min(load(tree, RIGHT_DIRTY), height - 1), -1, -1):
        _cache_right(tree, level, height)
    if load(tree, MIDDLE_DIRTY):
        root = node_address(tree, load(tree, LEFT + height))
        outer = 1 if height > 0 else 0
        clear_scratch(tree, MIDDLE)
        fold_slots(tree, scratch(tree, MIDDLE), root, outer, load(root, SIZE) - outer)
    store(tree, LEFT_DIRTY, CLEAN)
    store(tree, RIGHT_DIRTY, CLEAN)
    store(tree, MIDDLE_DIRTY, 0)


@inner
def _cache_left(tree, level, height):
    node = node_address(tree, load(tree, LEFT + level))
    state = clear_scratch(tree, LEFT_SIDE + level)
    fold_slots(tree, state, node, 1 if level > 0 else 0, load(node, SIZE))
    if level + 1 < height:
        merge(load(tree, PLAN), state, state, scratch(tree, LEFT_SIDE + level + 1))


@inner
def _cache_right(tree, level, height):
    node = node_address(tree, load(tree, RIGHT + level))
    state = clear_scratch(tree, RIGHT_SIDE + level)
    if level + 1 < height:
        copy_state(tree, state, scratch(tree, RIGHT_SIDE + level + 1))
    fold_slots(tree, state, node, 0, load(node, SIZE) - (1 if level > 0 else 0))


@inner
def fold_slots(tree, into, node, first, end):
    """into ⊗= the states of the slots [first, end)."""
    not_inlined()
    fold(load(tree, PLAN), into, state_at(tree, node, first), load(tree, STATE_BYTES), end - first)


@inner
def prepend_slots(tree, into, node, first, end):
    """into = the states of the slots [first, end) ⊗ into."""
    not_inlined()
    if load(tree, IS_COMMUTATIVE):
        fold_slots(tree, into, node, first, end)
    else:
        spare = clear_scratch(tree, SPARE)
        fold_slots(tree, spare, node, first, end)
        merge(load(tree, PLAN), into, spare, into)


@inner
def slot_before(node, time):
    """Slot of the child that holds the youngest times below `time`; 0 if none does."""
    slot = load(node, SIZE) - 1
    while slot > 0 and load(node, KEYS + slot) >= time:
        slot -= 1
    return slot


@inner
def range_query(tree, low, high):
    """Address of the aggregate of the entries with times in [low, high), valid until the next call.

    O(log D), with D the entries from `low` to the young end.
    """
    not_inlined()
    result = clear_scratch(tree, RESULT)
    node, first, last = _fork(tree, low, high)
    if load(node, LEVEL) == 0:
        fold_slots(tree, result, node, first, last)
    elif first < last:
        fold_slots(tree, result, node, first + 1, last)
        _prepend_from(tree, result, child_at(tree, node, first), low)
        _append_until(tree, result, child_at(tree, node, last), high)
    return result


@inner
def append_range(tree, low, high, into):
    """into ⊗= the aggregate of [low, high); cheap where it lies in one leaf, as the last pane of a window does."""
    not_inlined()
    node, first, last = _fork(tree, low, high)
    if load(node, LEVEL) == 0:
        fold_slots(tree, into, node, first, last)
    else:
        merge(load(tree, PLAN), into, into, range_query(tree, low, high))


@inner
def _fork(tree, low, high):
    """Lowest node that holds all of [low, high), with the slots of `low` and of `high`; in a leaf first ≤ last."""
    level = cover_level(tree, low)
    node = node_address(tree, load(tree, RIGHT + level))
    while level > 0:
        first, last = child_slot(node, low), slot_before(node, high)
        if first != last:
            return node, first, last
        node = node_address(tree, child_at(tree, node, first))
        level -= 1
    first = entry_slot(node, low)
    return node, first, max(first, entry_slot(node, high))


@inner
def _prepend_from(tree, result, number, low):
    """Put what `number` holds at and after `low` in front of the result."""
    not_inlined()
    node = node_address(tree, number)
    while load(node, LEVEL) > 0:
        slot = child_slot(node, low)
        prepend_slots(tree, result, node, slot + 1, load(node, SIZE))
        node = node_address(tree, child_at(tree, node, slot))
    prepend_slots(tree, result, node, entry_slot(node, low), load(node, SIZE))


@inner
def _append_until(tree, result, number, high):
    """Put what `number` holds before `high` behind the result."""
    not_inlined()
    node = node_address(tree, number)
    while load(node, LEVEL) > 0:
        slot = slot_before(node, high)
        fold_slots(tree, result, node, 0, slot)
        node = node_address(tree, child_at(tree, node, slot))
    fold_slots(tree, result, node, 0, entry_slot(node, high))
