"""Eviction of everything up to a time, by a cut along the boundary (FIBA §4).

Unlike FIBA, nodes on the two spines may be thinner than the minimum arity: the cut then never has to borrow from a
neighbour that has another parent, and a thin spine node is gone as soon as the window moves past it. Off the spines
the bounds are FIBA's.
"""

from kernels.aggregators.finger_tree.layout import (
    END,
    FIRST,
    HEIGHT,
    KEYS,
    LEFT,
    MAX_LEVELS,
    PENDING,
    PENDING_OLDEST,
    SIZE,
    child_at,
    move_children,
    node_address,
    soil_query,
    soil_sides,
)
from kernels.aggregators.finger_tree.nodes import free_inner, free_subtree, reset
from kernels.aggregators.finger_tree.pending import settle
from kernels.aggregators.finger_tree.search import child_slot, count_until, is_empty, left_leaf, youngest
from kernels.memory import inner, load, not_inlined, store


@inner
def bulk_evict(tree, time):
    """Remove all entries with times ≤ `time`: O(log m) amortised for m entries, none of which is looked at."""
    if load(tree, PENDING) > 0 and load(tree, PENDING_OLDEST) <= time:
        settle(tree)
    leaf = left_leaf(tree)
    first, end = load(leaf, FIRST), load(leaf, END)
    if first == end or load(leaf, KEYS + end - 1) <= time:
        _cut(tree, time)
        return
    few = first + 4
    while first < few and load(leaf, KEYS + first) <= time:  # a window that slides by single events
        first += 1
    if first == few:
        first += count_until(leaf + 8 * (KEYS + first), end - first, time)
    store(leaf, FIRST, first)


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
    name = load(tree, LEFT + top)
    for level in range(top, 0, -1):
        node = node_address(tree, name)
        _drop_children(tree, level, node, child_slot(node, time))
        store(tree, LEFT + level, name)
        name = child_at(tree, node, 0)
    leaf = node_address(tree, name)
    store(leaf, FIRST, count_until(leaf + 8 * KEYS, load(leaf, END), time))
    store(tree, LEFT, name)
    _drop_empty_left(tree)
    soil_sides(tree, top)
    soil_query(tree)
    collapse_root(tree)


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
def _drop_children(tree, level, node, slots):
    """Free the first children of an inner node at `level`."""
    not_inlined()
    for slot in range(slots):
        free_subtree(tree, child_at(tree, node, slot), level - 1)
    _drop_slots(tree, node, slots)


@inner
def _drop_slots(tree, node, slots):
    if slots > 0:
        size = load(node, SIZE)
        move_children(tree, node, slots, node, 0, size - slots)
        store(node, SIZE, size - slots)


@inner
def _drop_empty_left(tree):
    """Remove left spine nodes that the cut left without entries, and name the new left spine."""
    not_inlined()
    leaf = left_leaf(tree)
    if load(leaf, FIRST) < load(leaf, END):
        return
    free_subtree(tree, load(tree, LEFT), 0)
    level = 1
    _drop_slots(tree, node_address(tree, load(tree, LEFT + level)), 1)
    while load(node_address(tree, load(tree, LEFT + level)), SIZE) == 0:
        free_inner(tree, load(tree, LEFT + level))
        level += 1
        _drop_slots(tree, node_address(tree, load(tree, LEFT + level)), 1)
    soil_sides(tree, level)
    for below in range(level - 1, -1, -1):
        parent = node_address(tree, load(tree, LEFT + below + 1))
        store(tree, LEFT + below, child_at(tree, parent, 0))


@inner
def collapse_root(tree):
    """A root with a single child gives its place to it."""
    not_inlined()
    height = load(tree, HEIGHT)
    while height > 0 and load(node_address(tree, load(tree, LEFT + height)), SIZE) == 1:
        free_inner(tree, load(tree, LEFT + height))
        height -= 1
        store(tree, HEIGHT, height)
        soil_sides(tree, MAX_LEVELS)
        soil_query(tree)
