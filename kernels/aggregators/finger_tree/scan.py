"""Entries in order of time, leaf by leaf."""

from kernels.aggregators.finger_tree.layout import (
    KEYS,
    PATH,
    SIZE,
    SLOT,
    STATE_BYTES,
    child_at,
    copy_state,
    node_address,
    state_at,
)
from kernels.aggregators.finger_tree.search import entry_slot, find_path, is_empty, oldest, youngest
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
    entries, more = 0, low < high
    top = find_path(tree, low)
    while more:
        leaf = node_address(tree, load(tree, PATH))
        last = entry_slot(leaf, high)
        entries += last - entry_slot(leaf, low)
        more = last == load(leaf, SIZE) and _next_leaf(tree, top)
    return entries


@inner
def copy_entries(tree, low, high, target):
    """Write (time, state) of the entries with times in [low, high) to `target`, which holds them all."""
    not_inlined()
    more = low < high
    top = find_path(tree, low)
    while more:
        leaf = node_address(tree, load(tree, PATH))
        last = entry_slot(leaf, high)
        for slot in range(entry_slot(leaf, low), last):
            store(target, 0, load(leaf, KEYS + slot))
            copy_state(tree, target + 8, state_at(tree, leaf, slot))
            target += 8 + load(tree, STATE_BYTES)
        more = last == load(leaf, SIZE) and _next_leaf(tree, top)


@inner
def count_entries(tree):
    """Number of entries."""
    if is_empty(tree):
        return 0
    return count_between(tree, oldest(tree), youngest(tree)) + 1
