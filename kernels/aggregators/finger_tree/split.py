"""Room for a new entry: in its leaf, or by splitting full nodes on the way up (FIBA §5, pass up)."""

from kernels.aggregators.finger_tree.layout import (
    HEIGHT,
    KEYS,
    LEFT,
    MAX_ARITY,
    PATH,
    PLAN,
    RIGHT,
    SIZE,
    SLOT,
    STATE_BYTES,
    child_at,
    copy_state,
    move_slots,
    new_node,
    node_address,
    set_child,
    soil,
    state_at,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.states import clear, fold


@inner
def open_slot(tree, leaf, slot, time, state):
    not_inlined()
    size = load(leaf, SIZE)
    move_slots(tree, leaf, slot, leaf, slot + 1, size - slot)
    store(leaf, KEYS + slot, time)
    copy_state(tree, state_at(tree, leaf, slot), state)
    store(leaf, SIZE, size + 1)


@inner
def refold(tree, parent, slot):
    """Make the aggregate of a child that is on no spine again, from the child's own states."""
    not_inlined()
    child = node_address(tree, child_at(tree, parent, slot))
    into = state_at(tree, parent, slot)
    clear(load(tree, PLAN), into)
    fold(load(tree, PLAN), into, state_at(tree, child, 0), load(tree, STATE_BYTES), load(child, SIZE))


@inner
def insert_and_split(tree, slot, time, state):
    """Split the full leaf of the path, insert, and link the new leaf into the levels above.

    In order the old leaf stays full and the new one starts with the one entry: half-full nodes would double the tree.
    """
    not_inlined()
    number = load(tree, PATH)
    full = load(tree, MAX_ARITY)
    right = new_node(tree, 0)
    leaf, sibling = node_address(tree, number), node_address(tree, right)
    in_order = slot == full and number == load(tree, RIGHT)
    keep = full if in_order else full // 2
    _split(tree, leaf, sibling, keep)
    if slot > keep or in_order:
        open_slot(tree, sibling, slot - keep, time, state)
    else:
        open_slot(tree, leaf, slot, time, state)
    if number == load(tree, RIGHT):
        store(tree, RIGHT, right)
    soil(tree, _link(tree, load(sibling, KEYS), right))


@inner
def _split(tree, node, sibling, keep):
    """Move what is behind the first `keep` slots into the empty sibling."""
    moved = load(node, SIZE) - keep
    move_slots(tree, node, keep, sibling, 0, moved)
    store(sibling, SIZE, moved)
    store(node, SIZE, keep)


@inner
def _link(tree, key, child):
    """Link a new node to the right of the one of the path below, splitting upwards; returns the highest level
    touched."""
    not_inlined()
    level = 1
    while level <= load(tree, HEIGHT):
        parent = node_address(tree, load(tree, PATH + level))
        slot = load(tree, SLOT + level)
        _refold_unless_spine(tree, level, parent, slot)
        if load(parent, SIZE) < load(tree, MAX_ARITY):
            _adopt(tree, level, parent, slot + 1, key, child)
            return _refold_upwards(tree, level)
        key, child = _split_inner(tree, level, slot, key, child)
        level += 1
    _grow_root(tree, level, key, child)
    return level


@inner
def _refold_unless_spine(tree, level, parent, slot):
    below = child_at(tree, parent, slot)
    if below != load(tree, LEFT + level - 1) and below != load(tree, RIGHT + level - 1):
        refold(tree, parent, slot)


@inner
def _adopt(tree, level, parent, slot, key, child):
    """Give an inner node with room a new child."""
    not_inlined()
    size = load(parent, SIZE)
    move_slots(tree, parent, slot, parent, slot + 1, size - slot)
    set_child(tree, parent, slot, key, child)
    store(parent, SIZE, size + 1)
    _refold_unless_spine(tree, level, parent, slot)


@inner
def _split_inner(tree, level, slot, key, child):
    """Split a full inner node around its new child at slot + 1; returns the new node with its key."""
    not_inlined()
    number = load(tree, PATH + level)
    full = load(tree, MAX_ARITY)
    right = new_node(tree, level)
    parent, sibling = node_address(tree, number), node_address(tree, right)
    in_order = slot == full - 1 and number == load(tree, RIGHT + level)
    keep = full if in_order else full // 2
    _split(tree, parent, sibling, keep)
    if number == load(tree, RIGHT + level):
        store(tree, RIGHT + level, right)
    if slot >= keep or in_order:
        _adopt(tree, level, sibling, slot + 1 - keep, key, child)
    else:
        _adopt(tree, level, parent, slot + 1, key, child)
    return load(sibling, KEYS), right


@inner
def _grow_root(tree, level, key, child):
    old = load(tree, LEFT + level - 1)
    root = new_node(tree, level)
    node = node_address(tree, root)
    set_child(tree, node, 0, load(node_address(tree, old), KEYS), old)
    set_child(tree, node, 1, key, child)
    store(node, SIZE, 2)
    store(tree, HEIGHT, level)
    store(tree, LEFT + level, root)
    store(tree, RIGHT + level, root)


@inner
def _refold_upwards(tree, level):
    """Repair the ancestors of a changed inner node, up to the spine; returns the level at which it was met."""
    while True:
        number = load(tree, PATH + level)
        if number == load(tree, LEFT + level) or number == load(tree, RIGHT + level):
            return level
        refold(tree, node_address(tree, load(tree, PATH + level + 1)), load(tree, SLOT + level + 1))
        level += 1
