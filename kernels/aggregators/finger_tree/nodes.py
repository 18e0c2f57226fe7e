"""New nodes, and the deferred free list (FIBA §6): an evicted subtree is put away whole, in O(1), and taken apart one
node at a time as new nodes are wanted.

    bulk_evict(…)           free inner: ▲ ─▶ ▲          two subtrees, children still attached
    new leaf wanted         free inner: ▲   free leaves: □ □ □ □   open inner: △
"""

from kernels.aggregators.finger_tree.layout import (
    CAPACITY,
    END,
    FIRST,
    FREE_INNER,
    FREE_LEAF,
    FREES_AT_ONCE,
    HEIGHT,
    INNER_BYTES,
    KEYS,
    LEAF_BYTES,
    LEFT,
    LEVEL,
    MAX_LEVELS,
    NODES,
    OPEN_INNER,
    PENDING,
    RIGHT,
    SIZE,
    USED,
    child_at,
    lay_out,
    node_address,
    soil_query,
    soil_sides,
)
from kernels.memory import inner, load, not_inlined, resize, store

SMALL_BYTES = 1 << 20
SLACK_SHIFT = 6


@inner
def create(plan, min_arity, frees_at_once):
    """Address of an empty tree over the states of `plan`, which must outlive it; min_arity ≥ 2. frees_at_once: 1 to
    take evicted subtrees apart at once, 0 to defer that."""
    tree = lay_out(plan, min_arity, frees_at_once)
    _plant(tree)
    return tree


@inner
def _plant(tree):
    """Make the tree a single empty leaf."""
    not_inlined()
    root = new_leaf(tree)
    store(tree, HEIGHT, 0)
    store(tree, LEFT, root)
    store(tree, RIGHT, root)
    store(tree, PENDING, 0)
    soil_sides(tree, MAX_LEVELS)
    soil_query(tree)


@inner
def reset(tree):
    """Make the tree empty: O(1), its nodes are freed as they are used again."""
    not_inlined()
    height = load(tree, HEIGHT)
    free_subtree(tree, load(tree, LEFT + height), height)
    _plant(tree)


@inner
def new_leaf(tree):
    """Name of an empty leaf; O(1) amortised."""
    not_inlined()
    while load(tree, FREE_LEAF) == 0 and load(tree, FREE_INNER) != 0:
        _open_one(tree)
    taken = _take(tree, FREE_LEAF)
    if taken == 0:
        taken = _allocate(tree, load(tree, LEAF_BYTES))
    leaf = node_address(tree, taken)
    store(leaf, END, 0)
    store(leaf, FIRST, 0)
    return taken


@inner
def new_inner(tree, level):
    """Name of an inner node without children; O(1)."""
    not_inlined()
    if load(tree, OPEN_INNER) == 0 and load(tree, FREE_INNER) != 0:
        _open_one(tree)
    taken = _take(tree, OPEN_INNER)
    if taken == 0:
        taken = _allocate(tree, load(tree, INNER_BYTES))
    node = node_address(tree, taken)
    store(node, SIZE, 0)
    store(node, LEVEL, level)
    return taken


@inner
def free_subtree(tree, name, level):
    """Put a node on its free list, with all that is below it. The link to the next lies in key 0."""
    _put(tree, FREE_LEAF if level == 0 else FREE_INNER, name)
    if load(tree, FREES_AT_ONCE) == 1:
        while load(tree, FREE_INNER) != 0:
            _open_one(tree)


@inner
def free_inner(tree, name):
    """Put an inner node whose children live on, elsewhere, on the free list."""
    _put(tree, OPEN_INNER, name)


@inner
def _put(tree, free, name):
    store(node_address(tree, name), KEYS, load(tree, free))
    store(tree, free, name)


@inner
def _take(tree, free):
    taken = load(tree, free)
    if taken != 0:
        store(tree, free, load(node_address(tree, taken), KEYS))
    return taken


@inner
def _open_one(tree):
    """Take the topmost free inner node apart: its children become free themselves."""
    not_inlined()
    name = _take(tree, FREE_INNER)
    node = node_address(tree, name)
    children = FREE_LEAF if load(node, LEVEL) == 1 else FREE_INNER
    for slot in range(load(node, SIZE)):
        _put(tree, children, child_at(tree, node, slot))
    _put(tree, OPEN_INNER, name)


@inner
def _allocate(tree, node_bytes):
    """Space for one node. Large blocks grow by a 64th: the C library then moves pages, not their content."""
    not_inlined()
    name = load(tree, USED)
    used = name + node_bytes
    if used > load(tree, CAPACITY):
        capacity = 2 * used if used < SMALL_BYTES else used + (used >> SLACK_SHIFT)
        store(tree, NODES, resize(load(tree, NODES), capacity // 8))
        store(tree, CAPACITY, capacity // 8 * 8)
    store(tree, USED, used)
    return name
