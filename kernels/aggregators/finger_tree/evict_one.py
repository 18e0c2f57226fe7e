"""Eviction of the one entry of a time: of the oldest by a step of the left finger, O(1) amortised; elsewhere with the
repair of thin nodes on the way up (FIBA §4)."""

from kernels.aggregators.finger_tree.evict import bulk_evict, collapse_root
from kernels.aggregators.finger_tree.layout import (
    MAX_LEVELS,
    InnerNode,
    Leaf,
    Node,
    child_at,
    compact,
    inner_at,
    mark_query_dirty,
    mark_sides_dirty,
    move_children,
    move_entries,
)
from kernels.aggregators.finger_tree.nodes import free_inner, free_subtree
from kernels.aggregators.finger_tree.path import find_path, path_leaf, reach, refold, refold_unless_spine
from kernels.aggregators.finger_tree.pending import settle_until
from kernels.aggregators.finger_tree.search import entry_slot, is_empty, left_leaf
from kernels.runtime.memory import inner, not_inlined


@inner
def evict(tree, time):
    """Remove the entry at `time`; False if there is none. O(1) amortised for the oldest, else O(log n)."""
    settle_until(tree, time)
    leaf = left_leaf(tree)
    if leaf.first < leaf.end and time <= leaf.times[leaf.first]:
        is_there = time == leaf.times[leaf.first]
        if is_there:
            bulk_evict(tree, time)
        return is_there
    return _evict_younger(tree, time)


@inner
def _evict_younger(tree, time):
    not_inlined()
    if is_empty(tree):
        return False
    find_path(tree, time)
    reach(tree, tree.height)
    leaf = path_leaf(tree)
    slot = entry_slot(leaf, time)
    if slot == leaf.end or leaf.times[slot] != time:
        return False
    _remove(tree, 0, Node(leaf), slot)
    for level in range(tree.height):
        _restore(tree, level)
    _name_spines(tree)
    mark_sides_dirty(tree, MAX_LEVELS)
    mark_query_dirty(tree)
    collapse_root(tree)
    return True


@inner
def _node_at(tree, name):
    return Node(tree.nodes + name)


@inner
def _move(tree, level, source, from_slot, target_and_slot, slots):
    """Move entries between leaves, or children between inner nodes; target_and_slot: where they go."""
    target, to_slot = target_and_slot
    if level == 0:
        move_entries(tree, Leaf(source), from_slot, Leaf(target), to_slot, slots)
    else:
        move_children(tree, InnerNode(source), from_slot, InnerNode(target), to_slot, slots)


@inner
def _remove(tree, level, node, slot):
    not_inlined()
    _move(tree, level, node, slot + 1, (node, slot), node.end - slot - 1)
    node.end -= 1


@inner
def _restore(tree, level):
    """Restore the arity of the path's node at `level`, and its aggregate in the parent."""
    not_inlined()
    name = tree.path[level]
    size = _size(tree, level, name)
    parent, slot = inner_at(tree, tree.path[level + 1]), tree.slot[level + 1]
    on_spine = name == tree.left[level] or name == tree.right[level]
    if size == 0:
        _free(tree, level, name)
        _remove(tree, level + 1, Node(parent), slot)
    elif not on_spine and size < (tree.leaf_min if level == 0 else tree.min_arity):
        _rebalance(tree, level, parent, max(slot - 1, 0))
    elif not on_spine:
        refold(tree, level, parent, slot)


@inner
def _size(tree, level, name):
    first = Leaf(tree.nodes + name).first if level == 0 else 0
    return _node_at(tree, name).end - first


@inner
def _free(tree, level, name):
    if level == 0:
        free_subtree(tree, name, 0)
    else:
        free_inner(tree, name)


@inner
def _rebalance(tree, level, parent, slot):
    """Merge the children at slot and slot + 1 if one node holds both, else share their slots out evenly."""
    not_inlined()
    left = _node_at(tree, child_at(tree, parent, slot))
    right = _node_at(tree, child_at(tree, parent, slot + 1))
    if level == 0:
        compact(tree, Leaf(left))
    if left.end + right.end <= (tree.leaf_max if level == 0 else tree.max_arity):
        _move(tree, level, right, 0, (left, left.end), right.end)
        left.end += right.end
        _drop_right(tree, level, parent, slot)
    else:
        _share(tree, level, left, right)
        parent.keys[slot + 1] = Leaf(right).times[0] if level == 0 else InnerNode(right).keys[0]
        refold_unless_spine(tree, level, parent, slot + 1)
    refold_unless_spine(tree, level, parent, slot)


@inner
def _drop_right(tree, level, parent, slot):
    """Free the child at slot + 1, whose content now lies in the one at `slot`."""
    left, right = child_at(tree, parent, slot), child_at(tree, parent, slot + 1)
    if right == tree.right[level]:
        tree.right[level] = left
    _free(tree, level, right)
    _remove(tree, level + 1, Node(parent), slot + 1)


@inner
def _share(tree, level, left, right):
    """Even out two neighbours."""
    both = left.end + right.end
    keep = both // 2
    if left.end < keep:
        moved = keep - left.end
        _move(tree, level, right, 0, (left, left.end), moved)
        _move(tree, level, right, moved, (right, 0), right.end - moved)
    else:
        _move(tree, level, right, 0, (right, left.end - keep), right.end)
        _move(tree, level, left, keep, (right, 0), left.end - keep)
    left.end, right.end = keep, both - keep


@inner
def _name_spines(tree):
    """Find both spines again, from the root down."""
    for level in range(tree.height, 0, -1):
        left, right = inner_at(tree, tree.left[level]), inner_at(tree, tree.right[level])
        tree.left[level - 1] = child_at(tree, left, 0)
        tree.right[level - 1] = child_at(tree, right, right.end - 1)
