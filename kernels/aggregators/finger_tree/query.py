"""Aggregates of the whole window, and of any range of times.

    query = suffix of the left leaf ⊗ young part            (two combines with the new event's)

      [·  ·  c  d] [e f g h] … [w x]     first = 2: suffix cd, kept for every slot of the left leaf;
       evicted                            young part e…x: continued by what comes at the young end

When the left leaf is used up, the young part is made again from what the spines cache: no node on a spine has its
aggregate in its parent; instead each spine has, per level, the aggregate of its nodes from there up to the root (FIBA's
left and right aggregates, without the leaves), and the tree that of the root's inner part. What an update made wrong is
noted by level and repaired then, so that 64 evictions pay for one repair.
"""

from kernels.aggregators.finger_tree.layout import (
    CLEAN,
    END,
    FIRST,
    HEIGHT,
    IS_COMMUTATIVE,
    LEFT,
    LEFT_DIRTY,
    LEFT_SIDE,
    MIDDLE,
    MIDDLE_DIRTY,
    PENDING,
    PLAN,
    RESULT,
    RIGHT,
    RIGHT_DIRTY,
    RIGHT_SIDE,
    SIZE,
    SPARE,
    STATE_BYTES,
    SUFFIX_END,
    SUFFIXES,
    WAITING,
    YOUNG,
    YOUNG_DIRTY,
    child_at,
    child_state,
    clear_scratch,
    copy_state,
    entry_state,
    node_address,
    scratch,
)
from kernels.aggregators.finger_tree.pending import settle
from kernels.aggregators.finger_tree.search import (
    child_slot,
    cover_level,
    entry_slot,
    left_leaf,
    right_leaf,
    slot_before,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.states import fold, merge, suffixes


@inner
def query(tree):
    """Address of the aggregate of all entries, valid until the next call: one combine, and the repairs that are due."""
    first = load(left_leaf(tree), FIRST)
    if load(tree, YOUNG_DIRTY) == 1 or first >= load(tree, SUFFIX_END):
        _repair(tree)
        first = load(left_leaf(tree), FIRST)
    if first == load(tree, SUFFIX_END):  # the tree is empty
        return clear_scratch(tree, RESULT)
    result = scratch(tree, RESULT)
    merge(load(tree, PLAN), result, scratch(tree, SUFFIXES + first), scratch(tree, YOUNG))
    return result


@inner
def _repair(tree):
    """Make the suffixes of the left leaf and the young part again."""
    not_inlined()
    height, leaf = load(tree, HEIGHT), left_leaf(tree)
    first, end, state_bytes = load(leaf, FIRST), load(leaf, END), load(tree, STATE_BYTES)
    suffixes(load(tree, PLAN), scratch(tree, SUFFIXES + first), state_bytes, entry_state(tree, leaf, first),
             state_bytes, end - first)
    store(tree, SUFFIX_END, end)
    store(tree, YOUNG_DIRTY, 0)
    clear_scratch(tree, YOUNG)
    if height > 0:
        _repair_sides(tree, height)
        _make_young(tree, height)
    if load(tree, PENDING) > 0:
        young = scratch(tree, YOUNG)
        merge(load(tree, PLAN), young, young, scratch(tree, WAITING))


@inner
def _make_young(tree, height):
    plan, young, right = load(tree, PLAN), scratch(tree, YOUNG), right_leaf(tree)
    if height > 1:
        merge(plan, young, young, scratch(tree, LEFT_SIDE + 1))
    merge(plan, young, young, scratch(tree, MIDDLE))
    if height > 1:
        merge(plan, young, young, scratch(tree, RIGHT_SIDE + 1))
    fold(plan, young, entry_state(tree, right, 0), load(tree, STATE_BYTES), load(right, END))


@inner
def _repair_sides(tree, height):
    """Bring the cached sides up to date, from the highest level that changed down to the one above the leaves."""
    not_inlined()
    for level in range(min(load(tree, LEFT_DIRTY), height - 1), 0, -1):
        _cache_left(tree, level, height)
    for level in range(min(load(tree, RIGHT_DIRTY), height - 1), 0, -1):
        _cache_right(tree, level, height)
    if load(tree, MIDDLE_DIRTY) == 1:
        root = node_address(tree, load(tree, LEFT + height))
        clear_scratch(tree, MIDDLE)
        fold_children(tree, scratch(tree, MIDDLE), root, 1, load(root, SIZE) - 1)
    store(tree, LEFT_DIRTY, CLEAN)
    store(tree, RIGHT_DIRTY, CLEAN)
    store(tree, MIDDLE_DIRTY, 0)


@inner
def _cache_left(tree, level, height):
    node = node_address(tree, load(tree, LEFT + level))
    state = clear_scratch(tree, LEFT_SIDE + level)
    fold_children(tree, state, node, 1, load(node, SIZE))
    if level + 1 < height:
        merge(load(tree, PLAN), state, state, scratch(tree, LEFT_SIDE + level + 1))


@inner
def _cache_right(tree, level, height):
    node = node_address(tree, load(tree, RIGHT + level))
    state = clear_scratch(tree, RIGHT_SIDE + level)
    if level + 1 < height:
        copy_state(tree, state, scratch(tree, RIGHT_SIDE + level + 1))
    fold_children(tree, state, node, 0, load(node, SIZE) - 1)


@inner
def fold_children(tree, into, node, first, end):
    """into ⊗= the aggregates of the children [first, end)."""
    fold(load(tree, PLAN), into, child_state(tree, node, first), load(tree, STATE_BYTES), end - first)


@inner
def fold_entries(tree, into, leaf, first, end):
    """into ⊗= the states of the entries [first, end)."""
    fold(load(tree, PLAN), into, entry_state(tree, leaf, first), load(tree, STATE_BYTES), end - first)


@inner
def _prepend(tree, into, states, count):
    """into = some states that stand together ⊗ into."""
    not_inlined()
    if load(tree, IS_COMMUTATIVE) == 1:
        fold(load(tree, PLAN), into, states, load(tree, STATE_BYTES), count)
    else:
        spare = clear_scratch(tree, SPARE)
        fold(load(tree, PLAN), spare, states, load(tree, STATE_BYTES), count)
        merge(load(tree, PLAN), into, spare, into)


@inner
def range_query(tree, low, high):
    """Address of the aggregate of the entries with times in [low, high), valid until the next call.

    O(log D), with D the entries from `low` to the young end.
    """
    not_inlined()
    result = clear_scratch(tree, RESULT)
    settle(tree)
    level, node, first, last = _fork(tree, low, high)
    if level == 0:
        fold_entries(tree, result, node, first, last)
    elif first < last:
        fold_children(tree, result, node, first + 1, last)
        _prepend_from(tree, result, level - 1, child_at(tree, node, first), low)
        _append_until(tree, result, level - 1, child_at(tree, node, last), high)
    return result


@inner
def append_range(tree, low, high, into):
    """into ⊗= the aggregate of [low, high); cheap where it lies in one leaf, as the last pane of a window does."""
    not_inlined()
    settle(tree)
    level, node, first, last = _fork(tree, low, high)
    if level == 0:
        fold_entries(tree, into, node, first, last)
    else:
        merge(load(tree, PLAN), into, into, range_query(tree, low, high))


@inner
def _fork(tree, low, high):
    """Lowest node that holds all of [low, high): its level, and the slots of `low` and of `high`; in a leaf first ≤
    last."""
    level = cover_level(tree, low)
    node = node_address(tree, load(tree, RIGHT + level))
    while level > 0:
        first, last = child_slot(node, low), slot_before(node, high)
        if first != last:
            return level, node, first, last
        node = node_address(tree, child_at(tree, node, first))
        level -= 1
    first = entry_slot(node, low)
    return 0, node, first, max(first, entry_slot(node, high))


@inner
def _prepend_from(tree, result, level, name, low):
    """Put what a node holds at and after `low` in front of the result."""
    not_inlined()
    node = node_address(tree, name)
    while level > 0:
        slot = child_slot(node, low)
        _prepend(tree, result, child_state(tree, node, slot + 1), load(node, SIZE) - slot - 1)
        node = node_address(tree, child_at(tree, node, slot))
        level -= 1
    slot = entry_slot(node, low)
    _prepend(tree, result, entry_state(tree, node, slot), load(node, END) - slot)


@inner
def _append_until(tree, result, level, name, high):
    """Put what a node holds before `high` behind the result."""
    not_inlined()
    node = node_address(tree, name)
    while level > 0:
        slot = slot_before(node, high)
        fold_children(tree, result, node, 0, slot)
        node = node_address(tree, child_at(tree, node, slot))
        level -= 1
    fold_entries(tree, result, node, 0, entry_slot(node, high))
