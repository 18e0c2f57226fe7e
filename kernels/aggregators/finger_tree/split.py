"""A new leaf's place above: linked behind that of the path, splitting full nodes on the way up (FIBA §5, pass up)."""

from kernels.aggregators.finger_tree.layout import (
    inner_at,
    mark_sides_dirty,
    move_children,
    set_child,
)
from kernels.aggregators.finger_tree.nodes import new_inner
from kernels.aggregators.finger_tree.path import EVERYTHING, NO_CHANGE, reach, refold_unless_spine
from kernels.runtime.memory import inner, not_inlined


@inner
def link(tree, key, child):
    """Link a new leaf behind that of the path, and let the path go on there; its times start at `key`.

    The caller has named it the right finger, if it is. O(1) amortised.
    """
    not_inlined()
    tree.path[0], tree.repair[0] = child, NO_CHANGE
    follows = True  # whether the path goes on in the new child
    for level in range(1, tree.height + 1):
        reach(tree, level)
        parent, slot = inner_at(tree, tree.path[level]), tree.slot[level]
        refold_unless_spine(tree, level - 1, parent, slot)
        if parent.end < tree.max_arity:
            _adopt(tree, level, parent, slot + 1, key, child)
            tree.slot[level] = slot + follows
            tree.repair[level] = EVERYTHING
            mark_sides_dirty(tree, level)
            return
        child = _split_inner(tree, level, key, child)
        key = inner_at(tree, child).keys[0]
        follows = _follow(tree, level, slot + follows, child)
    _grow_root(tree, tree.height + 1, key, child)
    reach(tree, tree.height)
    tree.slot[tree.height] = 1 if follows else 0
    mark_sides_dirty(tree, tree.height)


@inner
def _adopt(tree, level, parent, slot, key, child):
    """Give an inner node at `level`, which has room, a new child."""
    not_inlined()
    move_children(tree, parent, slot, parent, slot + 1, parent.end - slot)
    set_child(tree, parent, slot, key, child)
    parent.end += 1
    refold_unless_spine(tree, level - 1, parent, slot)


@inner
def _split_inner(tree, level, key, child):
    """Split the path's full node around its new child behind the path's slot; returns the new node's name.

    In order the old node stays full and the new one starts with the one child: half-full nodes would double the tree.
    """
    not_inlined()
    name, slot, full = tree.path[level], tree.slot[level], tree.max_arity
    new = new_inner(tree, level)
    node, sibling = inner_at(tree, name), inner_at(tree, new)
    in_order = slot == full - 1 and name == tree.right[level]
    keep = full if in_order else full // 2
    move_children(tree, node, keep, sibling, 0, full - keep)
    node.end, sibling.end = keep, full - keep
    if name == tree.right[level]:
        tree.right[level] = new
    if slot >= keep or in_order:
        _adopt(tree, level, sibling, slot + 1 - keep, key, child)
    else:
        _adopt(tree, level, node, slot + 1, key, child)
    return new


@inner
def _follow(tree, level, slot, new):
    """Let the path go on at `slot` of a node that was split, counted through both; whether that is in the new one."""
    kept = inner_at(tree, tree.path[level]).end
    tree.repair[level] = NO_CHANGE
    tree.slot[level] = slot
    if slot < kept:
        return False
    tree.slot[level] = slot - kept
    tree.path[level] = new
    return True


@inner
def _grow_root(tree, level, key, child):
    old = tree.left[level - 1]
    root = new_inner(tree, level)
    node = inner_at(tree, root)
    set_child(tree, node, 0, 0, old)
    set_child(tree, node, 1, key, child)
    node.end = 2
    tree.height = level
    tree.left[level] = tree.right[level] = root
