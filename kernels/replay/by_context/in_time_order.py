"""Aggregates of the rows of a window by arrival, in order of (time, row): a tree over some rows of a key in that order,
in which those that the window doesn't hold stand as identities.

rows in order       5  2  3  7 │ 6  4            window [2 3 4 5], then [4 5 6 7]
leaves             (5)(2)(3) · │ · (4)           a row that comes or goes is O(log rows) merges; the root is the answer
"""

from kernels.replay.growing import GrowingList, append
from kernels.runtime.fields import Count, Inline, Place
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from kernels.runtime.sorting import PAIR_WORDS, Pairs, sort_pairs
from kernels.runtime.struct import Struct, words_at
from kernels.states import clear, gather, merge


class InTimeOrder(Struct):
    """first … end: rows of a key that have a leaf; held_first … held_end: those that are in the window.

    leaves: a power of two; leaf_of: by row from `first` on; states: of node 1, the root, and of nodes 2 · n and
    2 · n + 1, the children of node n; pairs: room for sorting
    """

    first: Place
    end: Place
    held_first: Place
    held_end: Place
    leaves: Count
    leaf_of: Inline(GrowingList)
    states: Inline(GrowingList)
    pairs: Inline(GrowingList)


@inner
def state_in_order(r, first, end):
    """Address of the aggregates of the rows [first, end) of the key at hand, valid until the next call; neither falls.
    O(rows that come and go · log window), and as many merges as twice the window's rows each time it has moved as far
    as it is long."""
    not_inlined()
    tree = r.derived.in_order
    if first >= tree.held_end or end > tree.end or first < tree.first:
        _begin(r, tree, first, end)
    for row in range(tree.held_first, first):
        clear(r.plan, _node(r, tree, _leaf(tree, row)))
        _merge_above(r, tree, _leaf(tree, row))
    for row in range(tree.held_end, end):
        _lift(r, tree, row)
        _merge_above(r, tree, _leaf(tree, row))
    tree.held_first, tree.held_end = first, end
    return _node(r, tree, 1)


@inner
def _begin(r, tree, first, end):
    """A tree of the rows of this window and of as many behind it, of which this window's are held."""
    tree.first, tree.end = first, min(2 * end - first, r.events.first_of_key[r.key + 1])
    rows = tree.end - first
    tree.leaves = 1
    while tree.leaves < rows:
        tree.leaves *= 2
    _sort(r, tree, rows)
    tree.states.used = 0
    append(tree.states, 2 * tree.leaves * r.plan.state_words)
    for leaf in range(tree.leaves, 2 * tree.leaves):
        clear(r.plan, _node(r, tree, leaf))
    for row in range(first, end):
        _lift(r, tree, row)
    for node in range(tree.leaves - 1, 0, -1):
        _merge_below(r, tree, node)
    tree.held_first, tree.held_end = first, end


@inner
def _sort(r, tree, rows):
    """The leaf of each row."""
    tree.pairs.used = tree.leaf_of.used = 0
    block = append(tree.pairs, 2 * rows * PAIR_WORDS)
    pairs = Pairs(block)
    for place in range(rows):
        pairs.at[place].key, pairs.at[place].value = r.events.starts[tree.first + place], place
    ordered = sort_pairs(block, block + rows * PAIR_WORDS * WORD_BYTES, rows)
    leaf_of = words_at(append(tree.leaf_of, rows))
    for place in range(rows):
        leaf_of[ordered.at[place].value] = tree.leaves + place


@inner
def _leaf(tree, row):
    return words_at(tree.leaf_of.first)[row - tree.first]


@inner
def _node(r, tree, node):
    return tree.states.first + node * r.plan.state_words * WORD_BYTES


@inner
def _lift(r, tree, row):
    gather(r.plan, _node(r, tree, _leaf(tree, row)), r.events.columns, row, row + 1)


@inner
def _merge_below(r, tree, node):
    merge(r.plan, _node(r, tree, node), _node(r, tree, 2 * node), _node(r, tree, 2 * node + 1))


@inner
def _merge_above(r, tree, leaf):
    node = leaf // 2
    while node >= 1:
        _merge_below(r, tree, node)
        node //= 2
