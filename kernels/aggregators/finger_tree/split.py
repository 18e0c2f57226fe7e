"""A new node's place above: linked behind its neighbour, splitting full nodes on the way up (FIBA §5, pass up)."""

from kernels.aggregators.finger_tree.layout import (
    END,
    FIRST,
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
    child_state,
    entry_state,
    move_children,
    node_address,
    set_child,
    soil_sides,
)
from kernels.aggregators.finger_tree.nodes import new_inner
from kernels.memory import inner, load, not_inlined, store
from kernels.states import clear, fold


@inner
def refold(tree, level, parent, slot):
    """Make the aggregate of a child at `level`, which is on no spine, again from the child's own states."""
    not_inlined()
    child = node_address(tree, child_at(tree, parent, slot))
    into = child_state(tree, parent, slot)
    first = load(child, FIRST) if level == 0 else 0
    states = entry_state(tree, child, first) if level == 0 else child_state(tree, child, 0)
    clear(load(tree, PLAN), into)
    fold(load(tree, PLAN), into, states, load(tree, STATE_BYTES), load(child, END) - first)


@inner
def refold_unless_spine(tree, level, parent, slot):
    """Refold a child at `level` unless it lies on a spine."""
    name = child_at(tree, parent, slot)
    if name != load(tree, LEFT + level) and name != load(tree, RIGHT + level):
        refold(tree, level, parent, slot)


@inner
def link(tree, key, child):
    """Link a new leaf behind that of the path, which reaches the root; its times start at `key`.

    The caller has named it the right finger, if it is. O(1) amortised.
    """
    not_inlined()
    level = 1
    while level <= load(tree, HEIGHT):
        parent = node_address(tree, load(tree, PATH + level))
        slot = load(tree, SLOT + level)
        refold_unless_spine(tree, level - 1, parent, slot)
        if load(parent, SIZE) < load(tree, MAX_ARITY):
            _adopt(tree, level, parent, slot + 1, key, child)
            soil_sides(tree, _refold_upwards(tree, level))
            return
        key, child = _split_inner(tree, level, slot, key, child)
        level += 1
    _grow_root(tree, level, key, child)
    soil_sides(tree, level)


@inner
def _adopt(tree, level, parent, slot, key, child):
    """Give an inner node at `level`, which has room, a new child."""
    not_inlined()
    size = load(parent, SIZE)
    move_children(tree, parent, slot, parent, slot + 1, size - slot)
    set_child(tree, parent, slot, key, child)
    store(parent, SIZE, size + 1)
    refold_unless_spine(tree, level - 1, parent, slot)


@inner
def _split_inner(tree, level, slot, key, child):
    """Split a full inner node around its new child at slot + 1; returns the new node's key and name.

    In order the old node stays full and the new one starts with the one child: half-full nodes would double the tree.
    """
    not_inlined()
    name, full = load(tree, PATH + level), load(tree, MAX_ARITY)
    right = new_inner(tree, level)
    parent, sibling = node_address(tree, name), node_address(tree, right)
    in_order = slot == full - 1 and name == load(tree, RIGHT + level)
    keep = full if in_order else full // 2
    move_children(tree, parent, keep, sibling, 0, full - keep)
    store(sibling, SIZE, full - keep)
    store(parent, SIZE, keep)
    if name == load(tree, RIGHT + level):
        store(tree, RIGHT + level, right)
    if slot >= keep or in_order:
        _adopt(tree, level, sibling, slot + 1 - keep, key, child)
    else:
        _adopt(tree, level, parent, slot + 1, key, child)
    return load(sibling, KEYS), right


@inner
def _grow_root(tree, level, key, child):
    old = load(tree, LEFT + level - 1)
    root = new_inner(tree, level)
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
        name = load(tree, PATH + level)
        if name == load(tree, LEFT + level) or name == load(tree, RIGHT + level):
            return level
        refold(tree, level, node_address(tree, load(tree, PATH + level + 1)), load(tree, SLOT + level + 1))
        level += 1
