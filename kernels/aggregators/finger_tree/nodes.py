"""New nodes, and the deferred free list (FIBA §6): an evicted subtree is put away whole, in O(1), and taken apart one
node at a time as new nodes are wanted.

    bulk_evict(…)           free inner: ▲ ─▶ ▲          two subtrees, children still attached
    new leaf wanted         free inner: ▲   free leaves: □ □ □ □   open inner: △
"""

from kernels.aggregators.finger_tree.layout import FreeNode, child_at, inner_at, leaf_at
from kernels.runtime.fields import WORD_BYTES
from kernels.runtime.memory import inner, not_inlined, resize
from kernels.runtime.prefetch import LINE_BYTES, prefetch

FETCHED_MOST = 1 << 11
SMALL_BYTES = 1 << 20
SLACK_SHIFT = 6


@inner
def new_leaf(tree):
    """Name of an empty leaf; O(1) amortised."""
    not_inlined()
    while tree.free_leaf == 0 and tree.free_inner != 0:
        _open_one(tree)
    name = tree.free_leaf
    if name != 0:
        tree.free_leaf = _free_at(tree, name).next_free
        _fetch_ahead(tree)
    else:
        name = _allocate(tree, tree.leaf_bytes)
    leaf = leaf_at(tree, name)
    leaf.end = leaf.first = 0
    return name


@inner
def _fetch_ahead(tree):
    """Let the next free leaf, evicted long after it was last in the cache, come while the one before is filled."""
    if tree.free_leaf != 0:
        for offset in range(0, min(tree.leaf_bytes, FETCHED_MOST), LINE_BYTES):
            prefetch(tree.nodes + tree.free_leaf + offset)


@inner
def new_inner(tree, level):
    """Name of an inner node without children; O(1)."""
    not_inlined()
    if tree.open_inner == 0 and tree.free_inner != 0:
        _open_one(tree)
    name = tree.open_inner
    if name != 0:
        tree.open_inner = _free_at(tree, name).next_free
    else:
        name = _allocate(tree, tree.inner_bytes)
    node = inner_at(tree, name)
    node.end, node.level = 0, level
    return name


@inner
def free_subtree(tree, name, level):
    """Put a node on its free list, with all that is below it."""
    if level == 0:
        _free_leaf(tree, name)
    else:
        _free_at(tree, name).next_free = tree.free_inner
        tree.free_inner = name
    while tree.frees_at_once and tree.free_inner != 0:
        _open_one(tree)


@inner
def free_inner(tree, name):
    """Put an inner node whose children live on, elsewhere, on the free list."""
    _free_at(tree, name).next_free = tree.open_inner
    tree.open_inner = name


@inner
def _free_leaf(tree, name):
    _free_at(tree, name).next_free = tree.free_leaf
    tree.free_leaf = name


@inner
def _free_at(tree, name):
    return FreeNode(tree.nodes + name)


@inner
def _open_one(tree):
    """Take the topmost free inner node apart: its children become free themselves."""
    not_inlined()
    name = tree.free_inner
    tree.free_inner = _free_at(tree, name).next_free
    node = inner_at(tree, name)
    for slot in range(node.end):
        child = child_at(tree, node, slot)
        if node.level == 1:
            _free_leaf(tree, child)
        else:
            _free_at(tree, child).next_free = tree.free_inner
            tree.free_inner = child
    free_inner(tree, name)


@inner
def _allocate(tree, node_bytes):
    """Space for one node. Large blocks grow by a 64th: the C library then moves pages, not their content."""
    not_inlined()
    name = tree.used
    used = name + node_bytes
    if used > tree.capacity:
        words = (2 * used if used < SMALL_BYTES else used + (used >> SLACK_SHIFT)) // WORD_BYTES
        tree.nodes = resize(tree.nodes, words)
        tree.capacity = words * WORD_BYTES
    tree.used = used
    return name
