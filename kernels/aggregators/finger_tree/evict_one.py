"""Eviction of the one entry of a time, wherever it is, with the repair of thin nodes on the way up (FIBA §4)."""

from kernels.aggregators.finger_tree.evict import collapse_root
from kernels.aggregators.finger_tree.layout import (
    END,
    FIRST,
    HEIGHT,
    KEYS,
    LEAF_MAX,
    LEAF_MIN,
    LEFT,
    MAX_ARITY,
    MAX_LEVELS,
    MIN_ARITY,
    PATH,
    RIGHT,
    SIZE,
    SLOT,
    child_at,
    compact,
    move_children,
    move_entries,
    node_address,
    soil_query,
    soil_sides,
)
from kernels.aggregators.finger_tree.nodes import free_inner, free_subtree
from kernels.aggregators.finger_tree.pending import settle
from kernels.aggregators.finger_tree.search import entry_slot, extend_path, find_path, is_empty
from kernels.aggregators.finger_tree.split import refold, refold_unless_spine
from kernels.memory import inner, load, not_inlined, store


@inner
def evict(tree, time):
    """Remove the entry at `time`; False if there is none. O(log n)."""
    not_inlined()
    settle(tree)
    if is_empty(tree):
        return False
    extend_path(tree, find_path(tree, time))
    leaf = node_address(tree, load(tree, PATH))
    compact(tree, leaf)
    slot = entry_slot(leaf, time)
    if slot == load(leaf, END) or load(leaf, KEYS + slot) != time:
        return False
    _remove(tree, 0, leaf, slot)
    for level in range(load(tree, HEIGHT)):
        _mend(tree, level)
    _name_spines(tree)
    soil_sides(tree, MAX_LEVELS)
    soil_query(tree)
    collapse_root(tree)
    return True


@inner
def _move(tree, level, source, target, slots):
    """Move entries between leaves, or children between inner nodes; source and target: (node, first slot)."""
    if level == 0:
        move_entries(tree, source[0], source[1], target[0], target[1], slots)
    else:
        move_children(tree, source[0], source[1], target[0], target[1], slots)


@inner
def _remove(tree, level, node, slot):
    not_inlined()
    size = load(node, SIZE)
    _move(tree, level, (node, slot + 1), (node, slot), size - slot - 1)
    store(node, SIZE, size - 1)


@inner
def _mend(tree, level):
    """Restore the arity of the path's node at `level`, and its aggregate in the parent."""
    not_inlined()
    name = load(tree, PATH + level)
    size = load(node_address(tree, name), SIZE)
    parent = node_address(tree, load(tree, PATH + level + 1))
    slot = load(tree, SLOT + level + 1)
    on_spine = name == load(tree, LEFT + level) or name == load(tree, RIGHT + level)
    if size == 0:
        if level == 0:
            free_subtree(tree, name, 0)
        else:
            free_inner(tree, name)
        _remove(tree, level + 1, parent, slot)
    elif not on_spine and size < load(tree, LEAF_MIN if level == 0 else MIN_ARITY):
        _rebalance(tree, level, parent, max(slot - 1, 0))
    elif not on_spine:
        refold(tree, level, parent, slot)


@inner
def _rebalance(tree, level, parent, slot):
    """Merge the children at slot and slot + 1 if one node holds both, else share their slots out evenly."""
    not_inlined()
    left = node_address(tree, child_at(tree, parent, slot))
    right = node_address(tree, child_at(tree, parent, slot + 1))
    if level == 0 and load(left, FIRST) > 0:
        compact(tree, left)
    left_size, right_size = load(left, SIZE), load(right, SIZE)
    if left_size + right_size <= load(tree, LEAF_MAX if level == 0 else MAX_ARITY):
        _move(tree, level, (right, 0), (left, left_size), right_size)
        store(left, SIZE, left_size + right_size)
        _drop_right(tree, level, parent, slot)
    else:
        _share(tree, level, left, right)
        store(parent, KEYS + slot + 1, load(right, KEYS))
        refold_unless_spine(tree, level, parent, slot + 1)
    refold_unless_spine(tree, level, parent, slot)


@inner
def _drop_right(tree, level, parent, slot):
    """Free the child at slot + 1, whose content now lies in the one at `slot`."""
    left, right = child_at(tree, parent, slot), child_at(tree, parent, slot + 1)
    if right == load(tree, RIGHT + level):
        store(tree, RIGHT + level, left)
    if level == 0:
        free_subtree(tree, right, 0)
    else:
        free_inner(tree, right)
    _remove(tree, level + 1, parent, slot + 1)


@inner
def _share(tree, level, left, right):
    """Even out two neighbours."""
    left_size, right_size = load(left, SIZE), load(right, SIZE)
    keep = (left_size + right_size) // 2
    if left_size < keep:
        moved = keep - left_size
        _move(tree, level, (right, 0), (left, left_size), moved)
        _move(tree, level, (right, moved), (right, 0), right_size - moved)
    else:
        moved = left_size - keep
        _move(tree, level, (right, 0), (right, moved), right_size)
        _move(tree, level, (left, keep), (right, 0), moved)
    store(left, SIZE, keep)
    store(right, SIZE, left_size + right_size - keep)


@inner
def _name_spines(tree):
    """Find both spines again, from the root down."""
    for level in range(load(tree, HEIGHT), 0, -1):
        left = node_address(tree, load(tree, LEFT + level))
        store(tree, LEFT + level - 1, child_at(tree, left, 0))
        right = node_address(tree, load(tree, RIGHT + level))
        store(tree, RIGHT + level - 1, child_at(tree, right, load(right, SIZE) - 1))
