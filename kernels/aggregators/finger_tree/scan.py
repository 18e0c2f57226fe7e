"""Entries in order of time, leaf by leaf."""

from kernels.aggregators.finger_tree.layout import (
    END,
    FIRST,
    KEYS,
    PATH,
    SIZE,
    SLOT,
    STATE_BYTES,
    child_at,
    copy_state,
    entry_state,
    node_address,
)
from kernels.aggregators.finger_tree.pending import settle
from kernels.aggregators.finger_tree.search import entry_slot, find_path, is_empty, left_leaf, youngest
from kernels.memory import inner, load, not_inlined, store


@inner
def _next_leaf(tree, top):
    """Move the recorded path to the next leaf; False behind the youngest. top: the level at which it left the
    right spine."""
    level = 1
    while level <= top:
        node = node_address(tree, load(tree, PATH + level))
        slot = load(tree, SLOT + level) + 1
        if slot < load(node, SIZE):
            _descend_left(tree, level, slot)
            return True
        level += 1
    return False


@inner
def _descend_left(tree, level, slot):
    store(tree, SLOT + level, slot)
    for above in range(level, 0, -1):
        node = node_address(tree, load(tree, PATH + above))
        store(tree, PATH + above - 1, child_at(tree, node, load(tree, SLOT + above)))
        store(tree, SLOT + above - 1, 0)


@inner
def count_between(tree, low, high):
    """Number of entries with times in [low, high)."""
    not_inlined()
    settle(tree)
    entries, more = 0, low < high
    top = find_path(tree, low)
    while more:
        leaf = node_address(tree, load(tree, PATH))
        last = entry_slot(leaf, high)
        entries += last - entry_slot(leaf, low)
        more = last == load(leaf, END) and _next_leaf(tree, top)
    return entries


@inner
def copy_entries(tree, low, high, target):
    """Write (time, state) of the entries with times in [low, high) to `target`, which holds them all."""
    not_inlined()
    settle(tree)
    more = low < high
    top = find_path(tree, low)
    while more:
        leaf = node_address(tree, load(tree, PATH))
        last = entry_slot(leaf, high)
        for slot in range(entry_slot(leaf, low), last):
            store(target, 0, load(leaf, KEYS + slot))
            copy_state(tree, target + 8, entry_state(tree, leaf, slot))
            target += 8 + load(tree, STATE_BYTES)
        more = last == load(leaf, END) and _next_leaf(tree, top)


@inner
def oldest(tree):
    """Time of the oldest entry; the tree must not be empty."""
    settle(tree)
    leaf = left_leaf(tree)
    return load(leaf, KEYS + load(leaf, FIRST))


@inner
def count_entries(tree):
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
    top = find_path(tree, time)
    leaf = node_address(tree, load(tree, PATH))
    slot = entry_slot(leaf, time)
    if slot == load(leaf, END):
        _next_leaf(tree, top)
        leaf = node_address(tree, load(tree, PATH))
        slot = load(leaf, FIRST)
    return True, load(leaf, KEYS + slot)
