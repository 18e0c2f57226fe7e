"""Finding a time: from the right finger up to the lowest spine node that covers it, then down. O(log d), d
entries from the young end."""

from kernels.aggregators.finger_tree.layout import (
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
def child_slot(node, time):
    """Slot of the child whose range holds `time`. From the right: young times are asked for most."""
    slot = load(node, SIZE) - 1
    while slot > 0 and load(node, KEYS + slot) > time:
        slot -= 1
    return slot


@inner
def entry_slot(leaf, time):
    """Slot of the first entry at or after `time`."""
    slot = load(leaf, SIZE)
    while slot > 0 and load(leaf, KEYS + slot - 1) >= time:
        slot -= 1
    return slot


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
    """Record the path to the leaf for `time` in PATH and SLOT and return the level at which it leaves the
    right spine."""
    not_inlined()
    top = cover_level(tree, time)
    number = load(tree, RIGHT + top)
    for level in range(top, 0, -1):
        node = node_address(tree, number)
        slot = child_slot(node, time)
        store(tree, PATH + level, number)
        store(tree, SLOT + level, slot)
        number = child_at(tree, node, slot)
    store(tree, PATH, number)
    return top


@inner
def extend_path(tree, level):
    """Continue the recorded path above its top, along the right spine."""
    for above in range(level + 1, load(tree, HEIGHT) + 1):
        number = load(tree, RIGHT + above)
        store(tree, PATH + above, number)
        store(tree, SLOT + above, load(node_address(tree, number), SIZE) - 1)


@inner
def is_empty(tree):
    return load(tree, HEIGHT) == 0 and load(node_address(tree, load(tree, RIGHT)), SIZE) == 0


@inner
def oldest(tree):
    """Time of the oldest entry; the tree must not be empty."""
    return load(node_address(tree, load(tree, LEFT)), KEYS)


@inner
def youngest(tree):
    """Time of the youngest entry; the tree must not be empty."""
    leaf = node_address(tree, load(tree, RIGHT))
    return load(leaf, KEYS + load(leaf, SIZE) - 1)


@inner
def first_from(tree, time):
    """(whether there is one, time of the first entry at or after `time`)."""
    not_inlined()
    if is_empty(tree) or time > youngest(tree):
        return False, time
    top = find_path(tree, time)
    leaf = node_address(tree, load(tree, PATH))
    slot = entry_slot(leaf, time)
    level = 0
    while slot == load(leaf, SIZE) and level < top:
        level += 1
        leaf = node_address(tree, load(tree, PATH + level))
        slot = load(tree, SLOT + level) + 1
    for _ in range(level):
        leaf = node_address(tree, child_at(tree, leaf, slot))
        slot = 0
    return True, load(leaf, KEYS + slot)
