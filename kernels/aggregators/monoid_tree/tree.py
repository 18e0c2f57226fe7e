"""Log MTA (MTA §4.1): the aggregate of the whole window stands in the tree at any time.

Beside the complete nodes, each level has its head (what is left of its first node) and its tail (what its last node
has so far); the top level has no others. Sum over the updates 1 … 9, numbers 0 … 8 of the stream, after three
evictions:

    level 3   head [4 … 8] = 30                           tail [9] = 9      top: query() = head ⊗ tail = 39
    level 2   head [4] = 4           [5 6 7 8] = 26       tail [9] = 9
    level 1   head [4] = 4           [5 6] [7 8]          tail [9] = 9
    level 0      ∅   4                5 6   7 8                  9          the updates themselves

The top is the lowest level where the window spans two nodes, whether they are a pair or not. The paper's root is made
new when it is full, and lost when its left half is evicted only (Algorithm 2, line 13), so there the height follows
the length of the stream; here it is at most log2(n) + 1.

Two more places where the text of the paper and its algorithms differ; both were decided for the text:
- Algorithm 1 adds a level for what the old root's last pair hands on; §4.1.2 wants one as soon as the root's pair is
  full. By the algorithm the first two updates would never reach the new root.
- Algorithm 2, line 7, takes one from `rm` if e0 ≠ ∅. A level that loses p pairs loses 2p nodes, one fewer if its head
  was ⟨∅, *⟩: the condition must be e0 = ∅. (Its `wsp(subseq, total)` also swaps the arguments of Listing 1.)
"""

from kernels.aggregators._doors import DONE
from kernels.aggregators._forest.layout import (
    append_parents,
    append_updates,
    copy_node,
    copy_state,
    create_forest,
    join,
    node,
    scratch_node,
)
from kernels.aggregators._forest.operations import make_answer
from kernels.aggregators._forest.paging import is_full
from kernels.aggregators._forest.words import (
    END,
    FIRST,
    FIRST_TIME,
    FULL,
    HAS_HEADS,
    HEADS,
    PAGE_NODES,
    PLAN,
    SPILLED,
    TAILS,
    TOP,
    level_at,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.native import door_of
from kernels.states import clear, merge


@inner
def create(plan, page_nodes):
    """Address of an empty tree over the states of `plan`, which must outlive it."""
    s = create_forest(plan, page_nodes)
    store(s, HAS_HEADS, 1)
    return s


@inner
def _head(s, level):
    return node(s, 0, load(s, FIRST), 0) if level == 0 else scratch_node(s, HEADS + level)


@inner
def _tail(s, level):
    return node(s, 0, load(s, END) - 1, 0) if level == 0 else scratch_node(s, TAILS + level)


@inner
def push(s, nodes, count):
    """Append `count` updates (Algorithm 1, for several at once). O(count + log n)."""
    not_inlined()
    if is_full(s, count):
        return FULL
    first, old_last = load(s, FIRST), load(s, END) - 1
    append_updates(s, nodes, count)
    if old_last < first:
        store(s, FIRST_TIME, load(nodes, 0))
        store(s, TOP, 0)
    last = load(s, END) - 1
    for level in range(1, load(s, TOP) + 1):
        if old_last >> level < last >> level:
            append_parents(s, level, old_last >> level, last >> level)
        _make_tail(s, level, last)
    while (last >> load(s, TOP)) - (first >> load(s, TOP)) > 1:
        _raise_top(s, load(s, TOP) + 1, last)
    return DONE


@inner
def _raise_top(s, level, last):
    """The top level has more than two nodes: put a level above it; `last` is the last update's number."""
    not_inlined()
    begin, at = (load(s, FIRST) >> level) + 1, level_at(s, level)
    if load(s, PAGE_NODES) > 0:
        # The level may have been there before. Its nodes in between were never made, nor will they be asked for.
        page_start = begin // load(s, PAGE_NODES) * load(s, PAGE_NODES)
        store(at, SPILLED, max(load(at, SPILLED), page_start))
    append_parents(s, level, begin, last >> level)
    _make_tail(s, level, last)
    _make_head(s, level)
    store(s, TOP, level)


@inner
def _make_tail(s, level, last):
    """The tail of a level from that of the level below; its left sibling, if it has one, is complete."""
    below, tail = last >> (level - 1), scratch_node(s, TAILS + level)
    if below & 1:
        join(s, tail, node(s, level - 1, below - 1, 0), _tail(s, level - 1))
    else:
        copy_node(s, tail, _tail(s, level - 1))


@inner
def _make_head(s, level):
    """The head of a level from that of the level below; its right sibling, if it has one, is complete."""
    below, head = load(s, FIRST) >> (level - 1), scratch_node(s, HEADS + level)
    if below & 1:
        copy_node(s, head, _head(s, level - 1))
    else:
        join(s, head, _head(s, level - 1), node(s, level - 1, below + 1, 0))


@inner
def cut(s, position):
    """Evict the updates before `position` and make the heads again, bottom-up (Algorithm 2, lines 21-27). O(log n)."""
    not_inlined()
    store(s, FIRST, position)
    last, level = load(s, END) - 1, 0
    if position <= last:
        store(s, FIRST_TIME, load(node(s, 0, position, 0), 0))
        while (last >> level) - (position >> level) > 1:
            level += 1
            _make_head(s, level)
    store(s, TOP, level)


@inner
def total(s, into):
    """into = head ⊗ tail of the top level. O(1)."""
    if load(s, FIRST) == load(s, END):
        clear(load(s, PLAN), into)
    elif load(s, FIRST) == load(s, END) - 1:
        copy_state(s, into, _tail(s, 0) + 8)
    else:
        top = load(s, TOP)
        merge(load(s, PLAN), into, _head(s, top) + 8, _tail(s, top) + 8)


_answer = make_answer("monoid_tree", create, push, cut, total)


def monoid_tree_door(s, operation, first, second, third):
    """The operations of _doors.py; CREATE: nodes of a page, 0 for a window in memory."""
    return _answer(s, operation, first, second, third)


door = door_of(monoid_tree_door)
