"""How a tree begins, begins anew, and ends; new nodes, and the deferred free list (FIBA §6): an evicted subtree is put
away whole, in O(1), and taken apart one node at a time as new nodes are wanted.

    bulk_evict(…)           free inner: ▲ ─▶ ▲          two subtrees, children still attached
    new leaf wanted         free inner: ▲   free leaves: □ □ □ □   open inner: △
"""

from windrow.kernels.aggregators.finger_tree.layout import (
    CHUNK,
    MAX_LEVELS,
    NODE_HEAD,
    PENDING_MOST,
    InnerNode,
    Tree,
    child_at,
    mark_query_dirty,
    mark_sides_dirty,
    node_at,
)
from windrow.kernels.runtime.fields import WORD_BYTES
from windrow.kernels.runtime.memory import LINE_BYTES, inner, not_inlined, prefetch, release, resize
from windrow.kernels.runtime.sorting import Pairs
from windrow.kernels.runtime.struct import allocate, words_at
from windrow.kernels.states.layout import StatePlan

FETCHED_MOST = 1 << 11
SMALL_BYTES = 1 << 20
SLACK_SHIFT = 6
LEAF_FACTOR = 4  # a leaf holds four times what an inner node does: 64 entries are one short scan, 16 keys another


@inner
def create(plan: StatePlan, min_arity, frees_at_once):
    """An empty tree over the states of `plan`, which must outlive it; min_arity ≥ 2. frees_at_once: whether to take
    evicted subtrees apart at once, or as nodes are wanted."""
    tree = allocate(Tree)
    tree.plan, tree.frees_at_once = plan, frees_at_once != 0
    tree.state_bytes = WORD_BYTES * plan.state_words
    tree.is_commutative = plan.is_commutative
    _lay_out_nodes(tree, min_arity)
    _lay_out_scratch(tree)
    tree.pending_times = words_at(resize(0, PENDING_MOST))
    tree.pairs = Pairs(resize(0, 4 * PENDING_MOST))  # twice, while they are sorted
    tree.merged_times = words_at(resize(0, tree.leaf_max + CHUNK))
    tree.used = NODE_HEAD  # no node has the name 0
    _plant(tree)
    return tree.address


@inner
def _plant(tree):
    """Make the tree a single empty leaf."""
    not_inlined()
    root = new_leaf(tree)
    tree.height = 0
    tree.left[0] = tree.right[0] = root
    tree.pending = 0
    mark_sides_dirty(tree, MAX_LEVELS)
    mark_query_dirty(tree)


@inner
def reset(tree: Tree):
    """Make the tree empty: O(1), its nodes are freed as they are used again."""
    not_inlined()
    free_subtree(tree, tree.left[tree.height], tree.height)
    _plant(tree)


@inner
def _lay_out_nodes(tree, min_arity):
    tree.min_arity, tree.max_arity = min_arity, 2 * min_arity
    tree.leaf_min, tree.leaf_max = LEAF_FACTOR * min_arity, 2 * LEAF_FACTOR * min_arity
    tree.leaf_states = NODE_HEAD + WORD_BYTES * tree.leaf_max
    tree.leaf_bytes = tree.leaf_states + tree.leaf_max * tree.state_bytes
    tree.inner_states = NODE_HEAD + 2 * WORD_BYTES * tree.max_arity
    tree.inner_bytes = tree.inner_states + tree.max_arity * tree.state_bytes


@inner
def _lay_out_scratch(tree):
    size = tree.state_bytes
    states = 3 * MAX_LEVELS + 6 + 2 * tree.leaf_max + 2 * CHUNK + 2 * PENDING_MOST
    tree.scratch = resize(0, states * size // WORD_BYTES)
    tree.left_sides = tree.scratch
    tree.right_sides = tree.left_sides + MAX_LEVELS * size
    tree.changes = tree.right_sides + MAX_LEVELS * size
    tree.middle = tree.changes + MAX_LEVELS * size
    tree.young = tree.middle + size
    tree.pending_sum = tree.young + size
    tree.result = tree.pending_sum + size
    tree.spare = tree.result + size
    tree.suffixes = tree.spare + size
    tree.lifted = tree.suffixes + (tree.leaf_max + 1) * size
    tree.pending_states = tree.lifted + CHUNK * size
    tree.sorted_states = tree.pending_states + PENDING_MOST * size
    tree.merged_states = tree.sorted_states + PENDING_MOST * size


@inner
def destroy(tree: Tree):
    release(tree.nodes)
    release(tree.scratch)
    release(tree.pending_times.address)
    release(tree.pairs.address)
    release(tree.merged_times.address)
    release(tree.address)


@inner
def new_leaf(tree):
    """Name of an empty leaf; O(1) amortised."""
    not_inlined()
    while tree.free_leaf == 0 and tree.free_inner != 0:
        _open_one(tree)
    name = tree.free_leaf
    if name != 0:
        tree.free_leaf = _head_of(tree, name).next_free
        if tree.free_leaf != 0:  # evicted long after it was last in the cache, it comes while this one is filled
            for offset in range(0, min(tree.leaf_bytes, FETCHED_MOST), LINE_BYTES):
                prefetch(tree.nodes + tree.free_leaf + offset)
    else:
        name = _allocate(tree, tree.leaf_bytes)
    leaf = node_at(tree, name)
    leaf.end = leaf.first = 0
    return name


@inner
def new_inner(tree, level):
    """Name of an inner node without children; O(1)."""
    not_inlined()
    if tree.open_inner == 0 and tree.free_inner != 0:
        _open_one(tree)
    name = tree.open_inner
    if name != 0:
        tree.open_inner = _head_of(tree, name).next_free
    else:
        name = _allocate(tree, tree.inner_bytes)
    node = _head_of(tree, name)
    node.end, node.level = 0, level
    return name


@inner
def free_subtree(tree, name, level):
    """Put a node on its free list, with all that is below it."""
    _put_away(tree, name, level)
    while tree.frees_at_once and tree.free_inner != 0:
        _open_one(tree)


@inner
def free_node(tree, name, level):
    """Put a leaf, or an inner node whose children live on, elsewhere, on the free list."""
    if level == 0:
        _put_away(tree, name, 0)
    else:
        _head_of(tree, name).next_free = tree.open_inner
        tree.open_inner = name


@inner
def _put_away(tree, name, level):
    if level == 0:
        _head_of(tree, name).next_free = tree.free_leaf
        tree.free_leaf = name
    else:
        _head_of(tree, name).next_free = tree.free_inner
        tree.free_inner = name


@inner
def _head_of(tree, name):
    return InnerNode(tree.nodes + name)


@inner
def _open_one(tree):
    """Take the topmost free inner node apart: its children become free themselves."""
    not_inlined()
    name = tree.free_inner
    head = _head_of(tree, name)
    tree.free_inner = head.next_free
    for slot in range(head.end):
        _put_away(tree, child_at(tree, node_at(tree, name), slot), head.level - 1)
    free_node(tree, name, head.level)


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
