"""How a tree begins, begins anew, and ends."""

from kernels.aggregators.finger_tree.layout import (
    CHUNK,
    INNER_HEAD,
    LEAF_HEAD,
    MAX_LEVELS,
    PENDING_MOST,
    Tree,
    mark_query_dirty,
    mark_sides_dirty,
)
from kernels.aggregators.finger_tree.nodes import free_subtree, new_leaf
from kernels.runtime.fields import WORD_BYTES
from kernels.runtime.memory import inner, not_inlined, release, resize
from kernels.runtime.sorting import Pairs
from kernels.runtime.struct import allocate, words_at
from kernels.states.layout import StatePlan

LEAF_FACTOR = 4  # a leaf holds four times what an inner node does: 64 entries are one short scan, 16 keys another


@inner
def create(plan: StatePlan, min_arity, frees_at_once):
    """An empty tree over the states of `plan`, which must outlive it; min_arity ≥ 2. frees_at_once: whether to take
    evicted subtrees apart at once, or as nodes are wanted."""
    tree = _lay_out(plan, min_arity)
    tree.frees_at_once = frees_at_once != 0
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
def _lay_out(plan, min_arity):
    """A tree without a node; see create."""
    not_inlined()
    tree = allocate(Tree)
    tree.plan = plan
    tree.state_bytes = WORD_BYTES * plan.state_words
    tree.is_commutative = plan.is_commutative
    _lay_out_nodes(tree, min_arity)
    _lay_out_scratch(tree)
    tree.pending_times = words_at(resize(0, PENDING_MOST))
    tree.pairs = Pairs(resize(0, 4 * PENDING_MOST))  # twice, while they are sorted
    tree.merged_times = words_at(resize(0, tree.leaf_max + CHUNK))
    tree.used = LEAF_HEAD  # no node has the name 0
    return tree


@inner
def _lay_out_nodes(tree, min_arity):
    tree.min_arity, tree.max_arity = min_arity, 2 * min_arity
    tree.leaf_min, tree.leaf_max = LEAF_FACTOR * min_arity, 2 * LEAF_FACTOR * min_arity
    tree.leaf_states = LEAF_HEAD + WORD_BYTES * tree.leaf_max
    tree.leaf_bytes = tree.leaf_states + tree.leaf_max * tree.state_bytes
    tree.inner_states = INNER_HEAD + 2 * WORD_BYTES * tree.max_arity
    tree.inner_bytes = tree.inner_states + tree.max_arity * tree.state_bytes


@inner
def _lay_out_scratch(tree):
    """Give the tree its own states."""
    size = tree.state_bytes
    states = 3 * MAX_LEVELS + 7 + 2 * tree.leaf_max + 2 * CHUNK + 2 * PENDING_MOST
    tree.scratch = resize(0, states * size // WORD_BYTES)
    tree.left_sides = tree.scratch
    tree.right_sides = tree.left_sides + MAX_LEVELS * size
    tree.changes = tree.right_sides + MAX_LEVELS * size
    tree.middle = tree.changes + MAX_LEVELS * size
    tree.young = tree.middle + size
    tree.pending_sum = tree.young + size
    tree.one_state = tree.pending_sum + size
    tree.result = tree.one_state + size
    tree.spare = tree.result + size
    tree.suffixes = tree.spare + size
    tree.lifted = tree.suffixes + (tree.leaf_max + 1) * size
    tree.pending_states = tree.lifted + CHUNK * size
    tree.sorted_states = tree.pending_states + PENDING_MOST * size
    tree.merged_states = tree.sorted_states + PENDING_MOST * size


@inner
def destroy(tree: Tree):
    """Give all memory of a tree back."""
    release(tree.nodes)
    release(tree.scratch)
    release(tree.pending_times.address)
    release(tree.pairs.address)
    release(tree.merged_times.address)
    release(tree.address)
