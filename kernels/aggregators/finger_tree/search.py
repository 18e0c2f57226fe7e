"""Finding a time: from the right finger up to the lowest spine node that covers it, then down. O(log d), d
entries from the young end."""

from kernels.aggregators.finger_tree.layout import (
    END,
    FIRST,
    HEIGHT,
    KEYS,
    LEFT,
    PATH,
    RIGHT,
    SIZE,
    SLOT,
    child_at,
    node_address,
)
from kernels.memory import inner, load, not_inlined, store


@inner
def count_below(keys, count, time):
    """How many of some ascending words are < time."""
    base = 0
    while count > 1:
        half = count >> 1
        base += half if load(keys, base + half - 1) < time else 0
        count -= half
    return base + (1 if count == 1 and load(keys, base) < time else 0)


@inner
def count_until(keys, count, time):
    """How many of some ascending words are ≤ time."""
    base = 0
    while count > 1:
        half = count >> 1
        base += half if load(keys, base + half - 1) <= time else 0
        count -= half
    return base + (1 if count == 1 and load(keys, base) <= time else 0)


@inner
def child_slot(node, time):
    """Slot of the child whose range holds `time`."""
    return count_until(node + 8 * (KEYS + 1), load(node, SIZE) - 1, time)


@inner
def slot_before(node, time):
    """Slot of the child that holds the youngest times below `time`; 0 if none does."""
    return count_below(node + 8 * (KEYS + 1), load(node, SIZE) - 1, time)


@inner
def entry_slot(leaf, time):
    """Slot of the first entry at or after `time`."""
    first = load(leaf, FIRST)
    return first + count_below(leaf + 8 * (KEYS + first), load(leaf, END) - first, time)


@inner
def cover_level(tree, time):
    """Lowest level whose right spine node covers `time` and everything younger."""
    level = 0
    height = load(tree, HEIGHT)
    while level < height and time < load(node_address(tree, load(tree, RIGHT + level)), KEYS):
        level += 1
    return level


@inner
def find_path(tree, time):
    """Record the path to the leaf for `time` in PATH and SLOT and return the level at which it leaves the right
    spine."""
    not_inlined()
    top = cover_level(tree, time)
    name = load(tree, RIGHT + top)
    for level in range(top, 0, -1):
        node = node_address(tree, name)
        slot = child_slot(node, time)
        store(tree, PATH + level, name)
        store(tree, SLOT + level, slot)
        name = child_at(tree, node, slot)
    store(tree, PATH, name)
    return top


@inner
def extend_path(tree, level):
    """Continue the recorded path above its top, along the right spine."""
    for above in range(level + 1, load(tree, HEIGHT) + 1):
        name = load(tree, RIGHT + above)
        store(tree, PATH + above, name)
        store(tree, SLOT + above, load(node_address(tree, name), SIZE) - 1)


@inner
def left_leaf(tree):
    return node_address(tree, load(tree, LEFT))


@inner
def right_leaf(tree):
    return node_address(tree, load(tree, RIGHT))


@inner
def is_empty(tree):
    leaf = right_leaf(tree)
    return load(leaf, FIRST) == load(leaf, END)


@inner
def youngest(tree):
    """Time of the youngest entry; the tree must not be empty. What is pending is older."""
    leaf = right_leaf(tree)
    return load(leaf, KEYS + load(leaf, END) - 1)
