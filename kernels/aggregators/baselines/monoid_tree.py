"""Log MTA (MTA §4.1): the aggregate of the whole window stands in the tree at any time.

Besides complete nodes, each level has a head (what is left of its first node) and a tail (what its last node has so
far). The top level has only these two. Sum over the updates 1 … 9, numbers 0 … 8 of the stream, after three evictions:

    level 3   head [4 … 8] = 30                           tail [9] = 9      top: query() = head ⊗ tail = 39
    level 2   head [4] = 4           [5 6 7 8] = 26       tail [9] = 9
    level 1   head [4] = 4           [5 6] [7 8]          tail [9] = 9
    level 0      ∅   4                5 6   7 8                  9          the updates themselves

The top is the lowest level where the window spans two nodes, whether they are a pair or not. The paper makes a new root
when the old one is full, and drops a root only when its left half is evicted (Algorithm 2, line 13). So the paper's
height follows the length of the stream; here it is at most log2(n) + 1.

The text of the paper and its algorithms differ in two more places. This kernel follows the text:
- Algorithm 1 adds a level for what the old root's last pair hands on; §4.1.2 wants one as soon as the root's pair is
  full. By the algorithm the first two updates would never reach the new root.
- Algorithm 2, line 7, takes one from `rm` if e0 ≠ ∅. A level that loses p pairs loses 2p nodes, one fewer if its head
  was ⟨∅, *⟩: the condition must be e0 = ∅. (Its `wsp(subseq, total)` also swaps the arguments of Listing 1.)
"""

from windrow.kernels.aggregators._dispatch import DONE
from windrow.kernels.aggregators._window import Card
from windrow.kernels.aggregators.baselines._forest import FULL, copy_node, copy_state, is_full, node, nth
from windrow.kernels.aggregators.baselines._forest.operations import (
    append_parents,
    append_updates,
    forest_operations,
    make_parent,
)
from windrow.kernels.aggregators.baselines._forest.window_api import MonoidWindow
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.states import clear, merge


@inner
def _head(forest, height):
    return node(forest, 0, forest.first) if height == 0 else nth(forest, forest.heads, height)


@inner
def _tail(forest, height):
    return node(forest, 0, forest.end - 1) if height == 0 else nth(forest, forest.tails, height)


@inner
def _push(forest, nodes, count):
    """Append `count` updates (Algorithm 1, for several at once). O(count + log n)."""
    not_inlined()
    if is_full(forest, count):
        return FULL
    first, old_last = forest.first, forest.end - 1
    append_updates(forest, nodes, count)
    if old_last < first:
        forest.first_time, forest.top = nodes.time, 0
    last = forest.end - 1
    for height in range(1, forest.top + 1):
        if old_last >> height < last >> height:
            append_parents(forest, height, old_last >> height, last >> height)
        _make_tail(forest, height, last)
    while (last >> forest.top) - (first >> forest.top) > 1:
        _raise_top(forest, last)
    return DONE


@inner
def _raise_top(forest, last):
    """The top level has more than two nodes: put a level above it; `last` is the last update's number."""
    not_inlined()
    height = forest.top + 1
    begin, level = (forest.first >> height) + 1, forest.levels[height]
    if forest.page_nodes > 0:
        # The level may have been there before. Its nodes in between were never made, nor will they be asked for.
        page_start = begin // forest.page_nodes * forest.page_nodes
        level.spilled = max(level.spilled, page_start)
    append_parents(forest, height, begin, last >> height)
    _make_tail(forest, height, last)
    _make_head(forest, height)
    forest.top = height


@inner
def _make_tail(forest, height, last):
    """The tail of a level from that of the level below; its left sibling, if it has one, is complete."""
    below, tail = last >> (height - 1), nth(forest, forest.tails, height)
    if below & 1:
        make_parent(forest, tail, node(forest, height - 1, below - 1), _tail(forest, height - 1))
    else:
        copy_node(forest, tail, _tail(forest, height - 1))


@inner
def _make_head(forest, height):
    """The head of a level from that of the level below; its right sibling, if it has one, is complete."""
    below, head = forest.first >> (height - 1), nth(forest, forest.heads, height)
    if below & 1:
        copy_node(forest, head, _head(forest, height - 1))
    else:
        make_parent(forest, head, _head(forest, height - 1), node(forest, height - 1, below + 1))


@inner
def _cut(forest, place):
    """Evict the updates before a place and make the heads again, bottom-up (Algorithm 2, lines 21-27). O(log n)."""
    not_inlined()
    forest.first = place
    last, height = forest.end - 1, 0
    if place <= last:
        forest.first_time = node(forest, 0, place).time
        while (last >> height) - (place >> height) > 1:
            height += 1
            _make_head(forest, height)
    forest.top = height


@inner
def _total(forest, into):
    """into = head ⊗ tail of the top level. O(1)."""
    if forest.first == forest.end:
        clear(forest.plan, into)
    elif forest.first == forest.end - 1:
        copy_state(forest, into, _tail(forest, 0).state)
    else:
        merge(forest.plan, into, _head(forest, forest.top).state, _tail(forest, forest.top).state)


class MonoidTree(MonoidWindow):
    """Log MTA. With n entries in the window, and m in a burst or an eviction: insert, evict, bulk_evict and range_query
    O(log n), bulk_insert O(m + log n) after sorting, query and len O(1). A policy is called O(log m) times per event.
    """

    CARD = Card(
        "in order", "O(log n)", "O(m + log n)", "O(log n)", "O(log n)", "O(1)", "O(log n)", "MTA §4.1, alg. 1-2"
    )
    OPERATIONS = forest_operations("monoid_tree", _push, _cut, _total, has_heads=True)


KERNEL = MonoidTree
