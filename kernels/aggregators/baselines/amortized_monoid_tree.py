"""Amortised MTA (MTA §4.2): a forest, a result pair and a stack; O(1) amortised insert and single evict.

Sum over 1 2 1 2 1 2 1 2, fig. 4 of the paper (here all eight are in the forest, a ninth is open):

    level 2        [6  ·]                      R0 = 6: the leftmost tree, whose root is the top level's pair
    level 1      [3   3] [3  ·]                R1 = 3 + (1 + 2): the pairs at the other levels' ends, older first
    level 0    [1 2] [1 2] [1 2] [1 2]         stack: 5 = R0 without the 1, below it 3 = R0 without 1 and 2

A pair is handed up once the next pair of its level begins, so the last pair of every level is a root (Invariant 3).
insert combines with R1; evict takes R0 from the stack. The forest serves later calls: the right siblings along the old
edge fill the stack again, and R0 and R1 are made again when the leftmost tree changes.

The text of the paper and its algorithms differ in these places. This kernel follows the text, or what gives right
answers:
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

from windrow.kernels.aggregators._dispatch import DONE
from windrow.kernels.aggregators._window import Card
from windrow.kernels.aggregators.baselines._forest import (
    FULL,
    MISSING,
    copy_state,
    end_after,
    heads_here,
    is_full,
    level_end,
    node,
    nth,
)
from windrow.kernels.aggregators.baselines._forest.operations import append_parents, append_updates, forest_operations
from windrow.kernels.aggregators.baselines._forest.window_api import MonoidWindow
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.states import clear, fold, merge


@inner
def _push(forest, nodes, count):
    """Append `count` updates (Algorithm 3, for several at once). O(count) amortised, O(count + log n) at worst."""
    not_inlined()
    if is_full(forest, count):
        return FULL
    old_end, was_empty = forest.end, forest.first == forest.end
    top = _top_after(forest, old_end + count, 0 if was_empty else forest.top)
    moved = was_empty or _border(old_end, forest.top) != _border(old_end + count, top)
    if moved and not was_empty and not heads_here(forest, forest.first):
        return MISSING
    append_updates(forest, nodes, count)
    if was_empty:
        forest.first_time = nodes.time
    height = 1  # the pairs that aren't last any more get parents, in all levels up to the new top
    while height <= top and end_after(old_end, height) < level_end(forest, height):
        append_parents(forest, height, end_after(old_end, height), level_end(forest, height))
        height += 1
    forest.top = top
    if moved:
        _rebuild(forest)
    else:
        fold(forest.plan, forest.right.state, nodes.state, forest.node_bytes, count)
    return DONE


@inner
def _top_after(forest, end, top):
    """The highest level that has a node of the window when it ends at `end`; it is `top` or higher."""
    while forest.first >> (top + 1) < end_after(end, top + 1):
        top += 1
    return top


@inner
def _border(end, top):
    """Where the leftmost tree ends: it covers all that the top level does."""
    return end_after(end, top) << top


@inner
def _rebuild(forest):
    """Make the result pair and the stack again: R0 is the oldest update ⊗ the top of the stack. O(log n)."""
    not_inlined()
    forest.depth = 0
    _fill_stack(forest, forest.top, forest.first)
    copy_state(forest, forest.left.state, node(forest, 0, forest.first).state)
    _append_stacked(forest, forest.left.state)
    _compute_right(forest)


@inner
def _stacked(forest, number):
    """State of an entry of the stack, from the bottom on."""
    return nth(forest, forest.stack, number).state


@inner
def _fill_stack(forest, top, first):
    """Stack what comes behind the head of each level, from level `top` down (Algorithms 4 and 7)."""
    for height in range(top, -1, -1):
        head = first >> height
        if head & 1 == 0 and head + 1 < level_end(forest, height):
            stacked = _stacked(forest, forest.depth)
            copy_state(forest, stacked, node(forest, height, head + 1).state)
            _append_stacked(forest, stacked)
            forest.depth += 1


@inner
def _append_stacked(forest, into):
    """into ⊗= the top of the stack."""
    if forest.depth > 0:
        merge(forest.plan, into, into, _stacked(forest, forest.depth - 1))


@inner
def _compute_right(forest):
    """R1 = the roots of all trees but the leftmost, which are the last pairs below the top level (Algorithm 5)."""
    right = clear(forest.plan, forest.right.state)
    for height in range(forest.top - 1, -1, -1):
        end = level_end(forest, height)
        for index in range((end - 1) // 2 * 2, end):
            merge(forest.plan, right, right, node(forest, height, index).state)


@inner
def _cut(forest, place):
    """Evict the updates before a place: one by Algorithm 6, O(1) amortised; several in O(log n)."""
    not_inlined()
    is_single, top = place == forest.first + 1, forest.top
    forest.first = place
    if place >= forest.end:
        clear(forest.plan, forest.left.state)
        clear(forest.plan, forest.right.state)
        forest.depth = forest.top = 0
        return
    forest.first_time = node(forest, 0, place).time
    if is_single and place >> top < level_end(forest, top):
        _pop(forest)
        return
    while place >> top >= level_end(forest, top):
        top -= 1
    forest.top = top
    _rebuild(forest)


@inner
def _pop(forest):
    """R0 from the stack, and the stack again for the levels whose head pair went."""
    forest.depth -= 1
    copy_state(forest, forest.left.state, _stacked(forest, forest.depth))
    kept = 0
    while (forest.first >> kept) & 1 == 0:
        kept += 1
    _fill_stack(forest, kept - 1, forest.first)


@inner
def _total(forest, into):
    """into = R0 ⊗ R1. O(1)."""
    merge(forest.plan, into, forest.left.state, forest.right.state)


class AmortizedMonoidTree(MonoidWindow):
    """Amortised MTA. With n entries in the window, and m in a burst or an eviction: insert and evict O(1) amortised and
    O(log n) at worst, bulk_insert O(m) after sorting, bulk_evict and range_query O(log n), query and len O(1). A policy
    is called O(log m) times per event.
    """

    CARD = Card("in order", "O(1)", "O(m)", "O(1)", "O(log n)", "O(1)", "O(log n)", "MTA §4.2, alg. 3-7")
    OPERATIONS = forest_operations("amortized_monoid_tree", _push, _cut, _total, has_heads=False)


KERNEL = AmortizedMonoidTree
