"""Eviction of everything up to a time, by a cut along the boundary (FIBA §4).

Unlike FIBA, nodes on the two spines may be thinner than the minimum arity: the cut then never has to borrow from a
neighbour that has another parent, and a thin spine node is gone as soon as the window moves past it. Off the spines
the bounds are FIBA's.
"""

from kernels.aggregators.finger_tree.create import reset
from kernels.aggregators.finger_tree.layout import (
    MAX_LEVELS,
    child_at,
    inner_at,
    leaf_at,
    mark_query_dirty,
    mark_sides_dirty,
    move_children,
)
from kernels.aggregators.finger_tree.nodes import free_inner, free_subtree
from kernels.aggregators.finger_tree.pending import settle_until
from kernels.aggregators.finger_tree.search import child_slot, count_until, is_empty, left_leaf, youngest
from kernels.runtime.memory import inner, not_inlined


@inner
def bulk_evict(tree, time):
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
        node = inner_at(tree, name)
        _drop_children(tree, level, node, child_slot(node, time))
        tree.left[level] = name
        name = child_at(tree, node, 0)
    leaf = leaf_at(tree, name)
    leaf.first = count_until(leaf.times, leaf.end, time)
    tree.left[0] = name
    _drop_empty_left(tree)
    mark_sides_dirty(tree, top)
    mark_query_dirty(tree)
    collapse_root(tree)


@inner
def _boundary_level(tree, time):
    """Lowest level whose left spine node has entries younger than `time`, as far as keys show."""
    for level in range(tree.height):
        parent = inner_at(tree, tree.left[level + 1])
        if parent.end > 1 and parent.keys[1] > time:
            return level
    return tree.height


@inner
def _drop_children(tree, level, node, slots):
    """Free the first children of an inner node at `level`."""
    not_inlined()
    for slot in range(slots):
        free_subtree(tree, child_at(tree, node, slot), level - 1)
    _drop_slots(tree, node, slots)


@inner
def _drop_slots(tree, node, slots):
    if slots > 0:
        move_children(tree, node, slots, node, 0, node.end - slots)
        node.end -= slots


@inner
def _drop_empty_left(tree):
    """Remove left spine nodes that the cut left without entries, and name the new left spine."""
    not_inlined()
    leaf = left_leaf(tree)
    if leaf.first < leaf.end:
        return
    free_subtree(tree, tree.left[0], 0)
    level = 1
    _drop_slots(tree, inner_at(tree, tree.left[level]), 1)
    while inner_at(tree, tree.left[level]).end == 0:
        free_inner(tree, tree.left[level])
        level += 1
        _drop_slots(tree, inner_at(tree, tree.left[level]), 1)
    mark_sides_dirty(tree, level)
    for below in range(level - 1, -1, -1):
        tree.left[below] = child_at(tree, inner_at(tree, tree.left[below + 1]), 0)


@inner
def collapse_root(tree):
    """A root with a single child gives its place to it."""
    not_inlined()
    while tree.height > 0 and inner_at(tree, tree.left[tree.height]).end == 1:
        free_inner(tree, tree.left[tree.height])
        tree.height -= 1
        mark_sides_dirty(tree, MAX_LEVELS)
        mark_query_dirty(tree)
