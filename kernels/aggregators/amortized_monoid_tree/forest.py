"""Amortised MTA (MTA §4.2): a forest, a result pair and a stack; O(1) amortised insert and single evict.

Sum over 1 2 1 2 1 2 1 2, fig. 4 of the paper (here all eight are in the forest, a ninth is open):

    level 2        [6  ·]                      R0 = 6: the leftmost tree, whose root is the top level's pair
    level 1      [3   3] [3  ·]                R1 = 3 + (1 + 2): the pairs at the other levels' ends, older first
    level 0    [1 2] [1 2] [1 2] [1 2]         stack: 5 = R0 without the 1, below it 3 = R0 without 1 and 2

A pair is handed up once the next pair of its level begins, so the last pair of every level is a root (Invariant 3).
insert combines with R1; evict takes R0 from the stack. The forest is for what comes after: the stack is filled again
from the right siblings along the old edge, R0 and R1 are made again when the leftmost tree changes.

Where the text of the paper and its algorithms differ; all decided for the text, or for what gives right answers:
- Algorithm 5 combines the last pairs of all levels, beginning with the old R1. §4.2.2 leaves the leftmost tree out,
  and fig. 4 has R1 = 6, not 12: the loop must end before |L|, and R1 begin as ∅.
- Algorithm 6 calls compute_right_result only when the leftmost tree is gone. Then R0 stays ∅ and the stack empty,
  although "the second one took its place" (§4.2.3): compute_left_result is needed as well.
- Algorithm 3 leaves R = ⟨∅, u⟩ after the first insertion, though R0 is to be the leftmost tree. Here R = ⟨u, ∅⟩.
- Algorithm 3 recomputes R when the carry ends in the highest level, not when it adds a level. That is right: the
  leftmost tree then only gets a root above it. Here R is made again when that tree's border moves, which is the same.
- §4.2.1 says that an eviction puts the popped value "onto R1" in one sentence and "on R0" in the next; it is R0.
- §4.2.3 has the emptied head pair "replaced by ∅"; Algorithm 6, line 7, removes it. Here places are absolute, and
  both are the same: the head moves on.
"""

from kernels.aggregators._doors import DONE
from kernels.aggregators._forest.layout import (
    append_parents,
    append_updates,
    clear_scratch,
    copy_state,
    create_forest,
    end_after,
    level_end,
    node,
    scratch,
)
from kernels.aggregators._forest.operations import make_answer
from kernels.aggregators._forest.paging import heads_here, is_full
from kernels.aggregators._forest.words import (
    DEPTH,
    END,
    FIRST,
    FIRST_TIME,
    FULL,
    LEFT,
    MISSING,
    NODE_BYTES,
    PLAN,
    RIGHT,
    STACK,
    TOP,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.native import door_of
from kernels.states import fold, merge


@inner
def create(plan, page_nodes):
    """Address of an empty forest over the states of `plan`, which must outlive it."""
    return create_forest(plan, page_nodes)


@inner
def push(s, nodes, count):
    """Append `count` updates (Algorithm 3, for several at once). O(count) amortised, O(count + log n) at worst."""
    not_inlined()
    if is_full(s, count):
        return FULL
    old_end, was_empty = load(s, END), load(s, FIRST) == load(s, END)
    top = _top_after(s, old_end + count, 0 if was_empty else load(s, TOP))
    moved = was_empty or _border(old_end, load(s, TOP)) != _border(old_end + count, top)
    if moved and not was_empty and not heads_here(s, load(s, FIRST)):
        return MISSING
    append_updates(s, nodes, count)
    if was_empty:
        store(s, FIRST_TIME, load(nodes, 0))
    level = 1
    while level <= top and end_after(old_end, level) < level_end(s, level):
        append_parents(s, level, end_after(old_end, level), level_end(s, level))
        level += 1
    store(s, TOP, top)
    if moved:
        rebuild(s)
    else:
        fold(load(s, PLAN), scratch(s, RIGHT), nodes + 8, load(s, NODE_BYTES), count)
    return DONE


@inner
def _top_after(s, end, top):
    """The highest level that has a node of the window when it ends at `end`; it is `top` or higher."""
    while load(s, FIRST) >> (top + 1) < end_after(end, top + 1):
        top += 1
    return top


@inner
def _border(end, top):
    """Where the leftmost tree ends: it covers all that the top level does."""
    return end_after(end, top) << top


@inner
def rebuild(s):
    """Make the result pair and the stack again. O(log n)."""
    not_inlined()
    store(s, DEPTH, 0)
    _fill_stack(s, load(s, TOP), load(s, FIRST))
    _compute_left(s)
    _compute_right(s)


@inner
def _fill_stack(s, top, first):
    """Stack what comes behind the head of each level, from level `top` down (Algorithms 4 and 7)."""
    for level in range(top, -1, -1):
        head = first >> level
        if head & 1 == 0 and head + 1 < level_end(s, level):
            entry = scratch(s, STACK + load(s, DEPTH))
            copy_state(s, entry, node(s, level, head + 1, 0) + 8)
            if load(s, DEPTH) > 0:
                merge(load(s, PLAN), entry, entry, scratch(s, STACK + load(s, DEPTH) - 1))
            store(s, DEPTH, load(s, DEPTH) + 1)


@inner
def _compute_left(s):
    """R0 = the oldest update ⊗ the top of the stack (Algorithm 4, its end)."""
    left = scratch(s, LEFT)
    copy_state(s, left, node(s, 0, load(s, FIRST), 0) + 8)
    if load(s, DEPTH) > 0:
        merge(load(s, PLAN), left, left, scratch(s, STACK + load(s, DEPTH) - 1))


@inner
def _compute_right(s):
    """R1 = the roots of all trees but the leftmost, which are the last pairs below the top level (Algorithm 5)."""
    right = clear_scratch(s, RIGHT)
    for level in range(load(s, TOP) - 1, -1, -1):
        end = level_end(s, level)
        for index in range((end - 1) // 2 * 2, end):
            merge(load(s, PLAN), right, right, node(s, level, index, 0) + 8)


@inner
def cut(s, position):
    """Evict the updates before `position`: one by Algorithm 6, O(1) amortised; several in O(log n)."""
    not_inlined()
    single = position == load(s, FIRST) + 1
    store(s, FIRST, position)
    if position >= load(s, END):
        _empty(s)
        return
    store(s, FIRST_TIME, load(node(s, 0, position, 0), 0))
    top = load(s, TOP)
    if single and position >> top < level_end(s, top):
        _pop(s, position)
        return
    while position >> top >= level_end(s, top):
        top -= 1
    store(s, TOP, top)
    rebuild(s)


@inner
def _pop(s, position):
    """R0 from the stack, and the stack again for the levels whose head pair went."""
    store(s, DEPTH, load(s, DEPTH) - 1)
    copy_state(s, scratch(s, LEFT), scratch(s, STACK + load(s, DEPTH)))
    kept = 0
    while (position >> kept) & 1 == 0:
        kept += 1
    _fill_stack(s, kept - 1, position)


@inner
def _empty(s):
    clear_scratch(s, LEFT)
    clear_scratch(s, RIGHT)
    store(s, DEPTH, 0)
    store(s, TOP, 0)


@inner
def total(s, into):
    """into = R0 ⊗ R1. O(1)."""
    merge(load(s, PLAN), into, scratch(s, LEFT), scratch(s, RIGHT))


_answer = make_answer("amortized_monoid_tree", create, push, cut, total)


def amortized_monoid_tree_door(s, operation, first, second, third):
    """The operations of _doors.py; CREATE: nodes of a page, 0 for a window in memory."""
    return _answer(s, operation, first, second, third)


door = door_of(amortized_monoid_tree_door)
