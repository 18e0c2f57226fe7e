"""Eviction: everything up to a time by a cut along the boundary (FIBA §4), or the one entry of a time.

Unlike FIBA, nodes on the two spines may be thinner than the minimum arity: the cut then never has to borrow
from a neighbour that has another parent, and a thin spine node is gone as soon as the window moves past it. Off
the spines the bounds are FIBA's.
"""

from kernels.aggregators.finger_tree.layout import (
    HEIGHT,
    KEYS,
    LEFT,
    MAX_ARITY,
    MAX_LEVELS,
    MIN_ARITY,
    PATH,
    RIGHT,
    SIZE,
    SLOT,
    child_at,
    free_node,
    move_slots,
    node_address,
    plant,
    soil,
)
from kernels.aggregators.finger_tree.search import (
    child_slot,
    entry_slot,
    extend_path,
    find_path,
    is_empty,
    oldest,
    youngest,
)
from kernels.aggregators.finger_tree.split import refold
from kernels.memory import inner, load, not_inlined, store


@inner
def bulk_evict(tree, time):
    """Remove all entries with times ≤ `time`: O(log m) amortised for m entries, none of which is looked at."""
    not_inlined()
    if is_empty(tree) or oldest(tree) > time:
        return
    if youngest(tree) <= time:
        reset(tree)
        return
    top = _boundary_level(tree, time)
    number = load(tree, LEFT + top)
    for level in range(top, 0, -1):
        node = node_address(tree, number)
        _drop_children(tree, node, child_slot(node, time))
        store(tree, LEFT + level, number)
        number = child_at(tree, node, 0)
    leaf = node_address(tree, number)
    _drop_slots(tree, leaf, _slot_after(leaf, time))
    store(tree, LEFT, number)
    _drop_empty_left(tree)
    soil(tree, top)
    _collapse_root(tree)


@inner
def reset(tree):
    """Make the tree empty: O(1), the nodes are freed as they are used again."""
    not_inlined()
    free_node(tree, load(tree, LEFT + load(tree, HEIGHT)))
    plant(tree)


@inner
def _boundary_level(tree, time):
    """Lowest level whose left spine node has entries younger than `time`, as far as keys tell."""
    level = 0
    height = load(tree, HEIGHT)
    while level < height:
        parent = node_address(tree, load(tree, LEFT + level + 1))
        if load(parent, SIZE) > 1 and load(parent, KEYS + 1) > time:
            return level
        level += 1
    return level


@inner
def _slot_after(leaf, time):
    slot = entry_slot(leaf, time)
    return slot + 1 if slot < load(leaf, SIZE) and load(leaf, KEYS + slot) == time else slot


@inner
def _drop_children(tree, node, slots):
    for slot in range(slots):
        free_node(tree, child_at(tree, node, slot))
    _drop_slots(tree, node, slots)


@inner
def _drop_slots(tree, node, slots):
    """Remove the first slots of a node."""
    not_inlined()
    if slots == 0:
        return
    size = load(node, SIZE)
    move_slots(tree, node, slots, node, 0, size - slots)
    store(node, SIZE, size - slots)


@inner
def _drop_empty_left(tree):
    """Remove left spine nodes that the cut left without entries, and name the new left spine."""
    not_inlined()
    level = 0
    while load(node_address(tree, load(tree, LEFT + level)), SIZE) == 0:
        free_node(tree, load(tree, LEFT + level))
        level += 1
        _drop_slots(tree, node_address(tree, load(tree, LEFT + level)), 1)
    soil(tree, level)
    for below in range(level - 1, -1, -1):
        parent = node_address(tree, load(tree, LEFT + below + 1))
        store(tree, LEFT + below, child_at(tree, parent, 0))


@inner
def _collapse_root(tree):
    """A root with a single child gives its place to it."""
    not_inlined()
    height = load(tree, HEIGHT)
    while height > 0 and load(node_address(tree, load(tree, LEFT + height)), SIZE) == 1:
        root = load(tree, LEFT + height)
        store(node_address(tree, root), SIZE, 0)
        free_node(tree, root)
        height -= 1
        store(tree, HEIGHT, height)
        soil(tree, MAX_LEVELS)


@inner
def evict(tree, time):
    """Remove the entry at `time`, wherever it is; False if there is none. O(log n)."""
    not_inlined()
    if is_empty(tree):
        return False
    extend_path(tree, find_path(tree, time))
    leaf = node_address(tree, load(tree, PATH))
    slot = entry_slot(leaf, time)
    if slot == load(leaf, SIZE) or load(leaf, KEYS + slot) != time:
        return False
    _remove_slot(tree, leaf, slot)
    for level in range(load(tree, HEIGHT)):
        _mend(tree, level)
    _name_spines(tree)
    soil(tree, MAX_LEVELS)
    _collapse_root(tree)
    return True


@inner
def _remove_slot(tree, node, slot):
    size = load(node, SIZE)
    move_slots(tree, node, slot + 1, node, slot, size - slot - 1)
    store(node, SIZE, size - 1)


@inner
def _mend(tree, level):
    """Restore the arity of the path's node at `level`, and its aggregate in the parent."""
    not_inlined()
    number = load(tree, PATH + level)
    size = load(node_address(tree, number), SIZE)
    parent = node_address(tree, load(tree, PATH + level + 1))
    slot = load(tree, SLOT + level + 1)
    on_spine = number == load(tree, LEFT + level) or number == load(tree, RIGHT + level)
    if size == 0:
        free_node(tree, number)
        _remove_slot(tree, parent, slot)
    elif not on_spine and size < load(tree, MIN_ARITY):
        _rebalance(tree, level, parent, max(slot - 1, 0))
    elif not on_spine:
        refold(tree, parent, slot)


@inner
def _rebalance(tree, level, parent, slot):
    """Merge the children at slot and slot + 1 if one node holds both, else share their slots out evenly."""
    not_inlined()
    left_number, right_number = child_at(tree, parent, slot), child_at(tree, parent, slot + 1)
    left, right = node_address(tree, left_number), node_address(tree, right_number)
    left_size, right_size = load(left, SIZE), load(right, SIZE)
    if left_size + right_size <= load(tree, MAX_ARITY):
        _merge_into_left(tree, level, parent, slot)
    elif left_size < right_size:
        moved = (right_size - left_size) // 2
        move_slots(tree, right, 0, left, left_size, moved)
        store(left, SIZE, left_size + moved)
        _drop_slots(tree, right, moved)
    else:
        moved = (left_size - right_size) // 2
        move_slots(tree, right, 0, right, moved, right_size)
        move_slots(tree, left, left_size - moved, right, 0, moved)
        store(right, SIZE, right_size + moved)
        store(left, SIZE, left_size - moved)
    _refold_pair(tree, level, parent, slot)


@inner
def _merge_into_left(tree, level, parent, slot):
    not_inlined()
    left_number, right_number = child_at(tree, parent, slot), child_at(tree, parent, slot + 1)
    left, right = node_address(tree, left_number), node_address(tree, right_number)
    left_size, right_size = load(left, SIZE), load(right, SIZE)
    move_slots(tree, right, 0, left, left_size, right_size)
    store(left, SIZE, left_size + right_size)
    store(right, SIZE, 0)
    if right_number == load(tree, RIGHT + level):
        store(tree, RIGHT + level, left_number)
    free_node(tree, right_number)
    _remove_slot(tree, parent, slot + 1)


@inner
def _refold_pair(tree, level, parent, slot):
    """Repair key and aggregate of the children at slot and slot + 1, as far as they are there and on no spine."""
    for place in range(slot, min(slot + 2, load(parent, SIZE))):
        number = child_at(tree, parent, place)
        if place > slot:
            store(parent, KEYS + place, load(node_address(tree, number), KEYS))
        if number != load(tree, LEFT + level) and number != load(tree, RIGHT + level):
            refold(tree, parent, place)


@inner
def _name_spines(tree):
    """Find both spines again, from the root down."""
    height = load(tree, HEIGHT)
    for level in range(height, 0, -1):
        left = node_address(tree, load(tree, LEFT + level))
        store(tree, LEFT + level - 1, child_at(tree, left, 0))
        right = node_address(tree, load(tree, RIGHT + level))
        store(tree, RIGHT + level - 1, child_at(tree, right, load(right, SIZE) - 1))
