"""Eviction of everything up to a time, by a cut along the boundary (FIBA §4); of the one entry of a time: if it is the
oldest by a step of the left finger, elsewhere with the repair of thin nodes on the way up.

Unlike FIBA, nodes on the two spines may be thinner than the minimum arity: the cut then never has to borrow from a
neighbour that has another parent, and a thin spine node is gone as soon as the window moves past it. Off the spines
the bounds are FIBA's.
"""

from windrow.kernels.aggregators._dispatch import DONE, NOTHING
from windrow.kernels.aggregators.finger_tree.insert import settle_until
from windrow.kernels.aggregators.finger_tree.layout import (
    MAX_LEVELS,
    Tree,
    child_at,
    compact,
    is_empty,
    left_leaf,
    mark_query_dirty,
    mark_sides_dirty,
    move_slots,
    node_at,
    youngest,
)
from windrow.kernels.aggregators.finger_tree.nodes import free_node, free_subtree, reset
from windrow.kernels.aggregators.finger_tree.path import (
    child_slot,
    count_until,
    entry_slot,
    find_path,
    reach,
    refold,
    refold_unless_spine,
)
from windrow.kernels.runtime.memory import inner, not_inlined


@inner
def bulk_evict(tree: Tree, time):
    """Remove all entries with times ≤ `time`: O(log m) amortised for m entries, none of which is looked at."""
    settle_until(tree, time)
    leaf = left_leaf(tree)
    first, end = leaf.first, leaf.end
    if first == end or leaf.times[end - 1] <= time:
        _cut(tree, time)
        return
    few = first + 4
    while first < few and leaf.times[first] <= time:  # a window that slides by single events
        first += 1
    if first == few:
        first += count_until(leaf.times[first:], end - first, time)
    leaf.first = first


@inner
def _cut(tree, time):
    """Evict at least the whole left leaf."""
    not_inlined()
    if is_empty(tree):
        return
    if youngest(tree) <= time:
        reset(tree)
        return
    top = _boundary_level(tree, time)
    name = tree.left[top]
    for level in range(top, 0, -1):
        node = node_at(tree, name)
        _drop_children(tree, level, node, child_slot(node, time))
        tree.left[level] = name
        name = child_at(tree, node, 0)
    leaf = node_at(tree, name)
    leaf.first = count_until(leaf.times, leaf.end, time)
    tree.left[0] = name
    _drop_empty_left(tree)
    mark_sides_dirty(tree, top)
    mark_query_dirty(tree)
    _collapse_root(tree)


@inner
def _boundary_level(tree, time):
    """Lowest level whose left spine node has entries younger than `time`, as far as keys show."""
    for level in range(tree.height):
        parent = node_at(tree, tree.left[level + 1])
        if parent.end > 1 and parent.times[1] > time:
            return level
    return tree.height


@inner
def _drop_children(tree, level, node, slots):
    not_inlined()
    for slot in range(slots):
        free_subtree(tree, child_at(tree, node, slot), level - 1)
    if slots > 0:
        _remove(tree, level, node, 0, slots)


@inner
def _drop_empty_left(tree):
    """Remove left spine nodes that the cut left without entries, and name the new left spine."""
    not_inlined()
    leaf = left_leaf(tree)
    if leaf.first < leaf.end:
        return
    free_node(tree, tree.left[0], 0)
    level = 1
    _remove(tree, level, node_at(tree, tree.left[level]), 0, 1)
    while node_at(tree, tree.left[level]).end == 0:
        free_node(tree, tree.left[level], level)
        level += 1
        _remove(tree, level, node_at(tree, tree.left[level]), 0, 1)
    mark_sides_dirty(tree, level)
    for below in range(level - 1, -1, -1):
        tree.left[below] = child_at(tree, node_at(tree, tree.left[below + 1]), 0)


@inner
def _collapse_root(tree):
    """A root with a single child gives its place to it."""
    not_inlined()
    while tree.height > 0 and node_at(tree, tree.left[tree.height]).end == 1:
        free_node(tree, tree.left[tree.height], tree.height)
        tree.height -= 1
        mark_sides_dirty(tree, MAX_LEVELS)
        mark_query_dirty(tree)


@inner
def evict(tree: Tree, time):
    """Remove the entry at `time`: DONE; NOTHING if there is none. O(1) amortised for the oldest, else O(log n)."""
    settle_until(tree, time)
    leaf = left_leaf(tree)
    if leaf.first == leaf.end or time > leaf.times[leaf.first]:
        return _evict_younger(tree, time)
    if time < leaf.times[leaf.first]:
        return NOTHING
    bulk_evict(tree, time)
    return DONE


@inner
def _evict_younger(tree, time):
    not_inlined()
    if is_empty(tree):
        return NOTHING
    find_path(tree, time)
    reach(tree, tree.height)
    leaf = node_at(tree, tree.path[0])
    slot = entry_slot(leaf, time)
    if slot == leaf.end or leaf.times[slot] != time:
        return NOTHING
    _remove(tree, 0, leaf, slot, 1)
    for level in range(tree.height):
        _restore(tree, level)
    for level in range(tree.height, 0, -1):  # both spines may be others now
        left, right = node_at(tree, tree.left[level]), node_at(tree, tree.right[level])
        tree.left[level - 1] = child_at(tree, left, 0)
        tree.right[level - 1] = child_at(tree, right, right.end - 1)
    mark_sides_dirty(tree, MAX_LEVELS)
    mark_query_dirty(tree)
    _collapse_root(tree)
    return DONE


@inner
def _remove(tree, level, node, slot, count):
    """Close the gap of some slots that are given up."""
    not_inlined()
    move_slots(tree, level, node, slot + count, (node, slot), node.end - slot - count)
    node.end -= count


@inner
def _restore(tree, level):
    """Restore the arity of the path's node at `level`, and its aggregate in the parent."""
    not_inlined()
    name = tree.path[level]
    node = node_at(tree, name)
    size = node.end - (node.first if level == 0 else 0)
    parent, slot = node_at(tree, tree.path[level + 1]), tree.slot[level + 1]
    on_spine = name == tree.left[level] or name == tree.right[level]
    if size == 0:
        free_node(tree, name, level)
        _remove(tree, level + 1, parent, slot, 1)
    elif not on_spine and size < (tree.leaf_min if level == 0 else tree.min_arity):
        _rebalance(tree, level, parent, max(slot - 1, 0))
    elif not on_spine:
        refold(tree, level, parent, slot)


@inner
def _rebalance(tree, level, parent, slot):
    """Merge the children at slot and slot + 1 if one node holds both, else share their slots out evenly."""
    not_inlined()
    left = node_at(tree, child_at(tree, parent, slot))
    right = node_at(tree, child_at(tree, parent, slot + 1))
    if level == 0:
        compact(tree, left)
    if left.end + right.end <= (tree.leaf_max if level == 0 else tree.max_arity):
        move_slots(tree, level, right, 0, (left, left.end), right.end)
        left.end += right.end
        name = child_at(tree, parent, slot + 1)
        if name == tree.right[level]:
            tree.right[level] = child_at(tree, parent, slot)
        free_node(tree, name, level)
        _remove(tree, level + 1, parent, slot + 1, 1)
    else:
        _share(tree, level, left, right)
        parent.times[slot + 1] = right.times[0]
        refold_unless_spine(tree, level, parent, slot + 1)
    refold_unless_spine(tree, level, parent, slot)


@inner
def _share(tree, level, left, right):
    both = left.end + right.end
    keep = both // 2
    if left.end < keep:
        moved = keep - left.end
        move_slots(tree, level, right, 0, (left, left.end), moved)
        move_slots(tree, level, right, moved, (right, 0), right.end - moved)
    else:
        move_slots(tree, level, right, 0, (right, left.end - keep), right.end)
        move_slots(tree, level, left, keep, (right, 0), left.end - keep)
    left.end, right.end = keep, both - keep
