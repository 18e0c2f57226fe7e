"""Entries in order of time, leaf by leaf."""

from kernels.aggregators._dispatch import Entry, entry_bytes
from kernels.aggregators.finger_tree.layout import Tree, child_at, copy_state, entry_state, inner_at
from kernels.aggregators.finger_tree.path import find_path, path_leaf
from kernels.aggregators.finger_tree.pending import settle
from kernels.aggregators.finger_tree.search import entry_slot, is_empty, left_leaf, youngest
from kernels.runtime.memory import inner, not_inlined


@inner
def _next_leaf(tree):
    """Move the path to the next leaf; False behind the youngest."""
    for level in range(1, tree.top + 1):
        if tree.slot[level] + 1 < inner_at(tree, tree.path[level]).end:
            tree.slot[level] += 1
            _descend_left(tree, level)
            return True
    return False


@inner
def _descend_left(tree, level):
    for above in range(level, 0, -1):
        tree.path[above - 1] = child_at(tree, inner_at(tree, tree.path[above]), tree.slot[above])
        tree.slot[above - 1] = 0


@inner
def count_between(tree: Tree, low, high):
    """Number of entries with times in [low, high)."""
    not_inlined()
    settle(tree)
    entries, more = 0, low < high
    find_path(tree, low)
    while more:
        leaf = path_leaf(tree)
        last = entry_slot(leaf, high)
        entries += last - entry_slot(leaf, low)
        more = last == leaf.end and _next_leaf(tree)
    return entries


@inner
def copy_entries(tree: Tree, low, high, target):
    """Write the entries with times in [low, high) to `target`, which holds them all (_dispatch.py: Entry)."""
    not_inlined()
    settle(tree)
    more = low < high
    find_path(tree, low)
    while more:
        leaf = path_leaf(tree)
        last = entry_slot(leaf, high)
        for slot in range(entry_slot(leaf, low), last):
            entry = Entry(target)
            entry.time = leaf.times[slot]
            copy_state(tree, entry.state.address, entry_state(tree, leaf, slot))
            target += entry_bytes(tree.state_bytes)
        more = last == leaf.end and _next_leaf(tree)


@inner
def oldest(tree):
    """Time of the oldest entry; the tree must not be empty."""
    leaf = left_leaf(tree)
    time = leaf.times[leaf.first]
    return min(time, tree.pending_oldest) if tree.pending > 0 else time


@inner
def count_entries(tree: Tree):
    """Number of entries."""
    if is_empty(tree):
        return 0
    return count_between(tree, oldest(tree), youngest(tree)) + 1


@inner
def first_from(tree, time):
    """(whether there is one, time of the first entry at or after `time`)."""
    not_inlined()
    if is_empty(tree) or time > youngest(tree):
        return False, time
    settle(tree)
    find_path(tree, time)
    leaf = path_leaf(tree)
    slot = entry_slot(leaf, time)
    if slot == leaf.end:
        _next_leaf(tree)
        leaf = path_leaf(tree)
        slot = leaf.first
    return True, leaf.times[slot]
