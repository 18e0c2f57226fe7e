"""Aggregates of the whole window, and of any range of times; its entries in order of time.

    query = suffix of the left leaf ⊗ young part            (two combines with the new event's)

      [·  ·  c  d] [e f g h] … [w x]     first = 2: suffix cd, kept for every slot of the left leaf;
       evicted                            young part e…x: continued by what comes at the young end

When the left leaf is used up, the young part is made again from what the spines cache: no node on a spine has its
aggregate in its parent; instead each spine has, per level, the aggregate of its nodes from there up to the root (FIBA's
left and right aggregates, without the leaves), and the tree that of the root's inner part. What an update made wrong is
noted by level and repaired then, so that 64 evictions pay for one repair.
"""

from windrow.kernels.aggregators._dispatch import FOREVER, Entry, entry_bytes
from windrow.kernels.aggregators.finger_tree.insert import settle
from windrow.kernels.aggregators.finger_tree.layout import (
    CLEAN,
    Tree,
    child_at,
    fold_slots,
    is_empty,
    left_leaf,
    node_at,
    oldest,
    right_leaf,
    state_at,
    youngest,
)
from windrow.kernels.aggregators.finger_tree.path import child_slot, cover_level, entry_slot, find_path, slot_before
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.states import clear, copy_state, fold, merge, suffixes


@inner
def query(tree: Tree):
    """Address of the aggregate of all entries, valid until the next call: one combine, and the repairs that are due."""
    first = left_leaf(tree).first
    if tree.young_dirty or first >= tree.suffix_end:
        _repair(tree)
        first = left_leaf(tree).first
    if first == tree.suffix_end:  # the tree is empty
        return clear(tree.plan, tree.result)
    merge(tree.plan, tree.result, tree.suffixes + first * tree.state_bytes, tree.young)
    return tree.result


@inner
def _repair(tree):
    """Make the suffixes of the left leaf and the young part again."""
    not_inlined()
    leaf, size = left_leaf(tree), tree.state_bytes
    kept, states = tree.suffixes + leaf.first * size, state_at(tree, 0, leaf, leaf.first)
    suffixes(tree.plan, kept, size, states, size, leaf.end - leaf.first)
    tree.suffix_end, tree.young_dirty = leaf.end, False
    clear(tree.plan, tree.young)
    if tree.height > 0:
        _repair_sides(tree)
        _make_young(tree)
    if tree.pending > 0:
        merge(tree.plan, tree.young, tree.young, tree.pending_sum)


@inner
def _make_young(tree):
    plan, young, right = tree.plan, tree.young, right_leaf(tree)
    if tree.height > 1:
        merge(plan, young, young, tree.left_sides + tree.state_bytes)
    merge(plan, young, young, tree.middle)
    if tree.height > 1:
        merge(plan, young, young, tree.right_sides + tree.state_bytes)
    fold_slots(tree, young, 0, right, 0, right.end)


@inner
def _repair_sides(tree):
    """Bring the cached sides up to date, from the highest level that changed down to the one above the leaves."""
    not_inlined()
    size, below_root = tree.state_bytes, tree.height - 1
    for level in range(min(tree.left_dirty, below_root), 0, -1):
        node, side = node_at(tree, tree.left[level]), clear(tree.plan, tree.left_sides + level * size)
        fold_slots(tree, side, level, node, 1, node.end)
        if level < below_root:
            merge(tree.plan, side, side, side + size)
    for level in range(min(tree.right_dirty, below_root), 0, -1):
        node, side = node_at(tree, tree.right[level]), clear(tree.plan, tree.right_sides + level * size)
        if level < below_root:
            copy_state(tree, side, side + size)
        fold_slots(tree, side, level, node, 0, node.end - 1)
    if tree.middle_dirty:
        root = node_at(tree, tree.left[tree.height])
        fold_slots(tree, clear(tree.plan, tree.middle), tree.height, root, 1, root.end - 1)
    tree.left_dirty = tree.right_dirty = CLEAN
    tree.middle_dirty = False


@inner
def _prepend(tree, into, states, count):
    """into = some states that stand together ⊗ into."""
    not_inlined()
    if tree.is_commutative:
        fold(tree.plan, into, states, tree.state_bytes, count)
    else:
        fold(tree.plan, clear(tree.plan, tree.spare), states, tree.state_bytes, count)
        merge(tree.plan, into, tree.spare, into)


@inner
def range_query(tree: Tree, low, high):
    """Address of the aggregate of the entries with times in [low, high), valid until the next call.

    O(log D), with D the entries from `low` to the young end.
    """
    not_inlined()
    result = clear(tree.plan, tree.result)
    settle(tree)
    level, name, first, last = _fork(tree, low, high)
    if level == 0:
        fold_slots(tree, result, 0, node_at(tree, name), first, last)
    elif first < last:
        node = node_at(tree, name)
        fold_slots(tree, result, level, node, first + 1, last)
        _prepend_from(tree, level - 1, child_at(tree, node, first), low)
        _append_until(tree, level - 1, child_at(tree, node, last), high)
    return result


@inner
def append_range(tree: Tree, low, high, into):
    """into ⊗= the aggregate of [low, high); cheap where it lies in one leaf, as the last pane of a window does."""
    not_inlined()
    settle(tree)
    level, name, first, last = _fork(tree, low, high)
    if level == 0:
        fold_slots(tree, into, 0, node_at(tree, name), first, last)
    else:
        merge(tree.plan, into, into, range_query(tree, low, high))


@inner
def _fork(tree, low, high):
    """Lowest node that holds all of [low, high): its level, its name, and the slots of `low` and of `high`; in a leaf
    first ≤ last."""
    level = cover_level(tree, low)
    name = tree.right[level]
    for above in range(level, 0, -1):
        node = node_at(tree, name)
        first, last = child_slot(node, low), slot_before(node, high)
        if first != last:
            return above, name, first, last
        name = child_at(tree, node, first)
    leaf = node_at(tree, name)
    first = entry_slot(leaf, low)
    return 0, name, first, max(first, entry_slot(leaf, high))


@inner
def _prepend_from(tree, level, name, low):
    """Put what a node holds at and after `low` in front of the result."""
    not_inlined()
    for above in range(level, 0, -1):
        node = node_at(tree, name)
        slot = child_slot(node, low)
        _prepend(tree, tree.result, state_at(tree, above, node, slot + 1), node.end - slot - 1)
        name = child_at(tree, node, slot)
    leaf = node_at(tree, name)
    slot = entry_slot(leaf, low)
    _prepend(tree, tree.result, state_at(tree, 0, leaf, slot), leaf.end - slot)


@inner
def _append_until(tree, level, name, high):
    """Put what a node holds before `high` behind the result."""
    not_inlined()
    for above in range(level, 0, -1):
        node = node_at(tree, name)
        slot = slot_before(node, high)
        fold_slots(tree, tree.result, above, node, 0, slot)
        name = child_at(tree, node, slot)
    leaf = node_at(tree, name)
    fold_slots(tree, tree.result, 0, leaf, 0, entry_slot(leaf, high))


@inner
def _next_leaf(tree):
    """Move the path to the next leaf; False behind the youngest."""
    for level in range(1, tree.top + 1):
        if tree.slot[level] + 1 < node_at(tree, tree.path[level]).end:
            tree.slot[level] += 1
            for above in range(level, 0, -1):
                tree.path[above - 1] = child_at(tree, node_at(tree, tree.path[above]), tree.slot[above])
                tree.slot[above - 1] = 0
            return True
    return False


@inner
def count_between(tree: Tree, low, high):
    return copy_entries(tree, low, high, 0)


@inner
def copy_entries(tree: Tree, low, high, target):
    """Write the entries with times in [low, high), leaf by leaf, to `target`, which holds them all (_dispatch.py:
    Entry), if it isn't 0; returns how many they are."""
    not_inlined()
    settle(tree)
    entries, more = 0, low < high
    find_path(tree, low)
    while more:
        leaf = node_at(tree, tree.path[0])
        first, last = entry_slot(leaf, low), entry_slot(leaf, high)
        entries += last - first
        if target != 0:
            for slot in range(first, last):
                entry = Entry(target)
                entry.time = leaf.times[slot]
                copy_state(tree, entry.state.address, state_at(tree, 0, leaf, slot))
                target += entry_bytes(tree.state_bytes)
        more = last == leaf.end and _next_leaf(tree)
    return entries


@inner
def count(tree: Tree):
    return 0 if is_empty(tree) else count_between(tree, oldest(tree), youngest(tree)) + 1


@inner
def first_from(tree: Tree, time):
    """Time of the first entry at or after `time`, FOREVER if there is none."""
    not_inlined()
    if is_empty(tree) or time > youngest(tree):
        return FOREVER
    settle(tree)
    find_path(tree, time)
    leaf = node_at(tree, tree.path[0])
    slot = entry_slot(leaf, time)
    if slot == leaf.end:
        _next_leaf(tree)
        leaf = node_at(tree, tree.path[0])
        slot = leaf.first
    return leaf.times[slot]
