"""Prefix search: the first entry at which a predicate over (total, aggregate of all up to and with that entry) turns
true.

             △  2nd             up the left spine and down the right one, a question a node: is the predicate true
       1st △   △   △ 3rd        with all that its inner children hold? In the node where it turns, running folds of
          □ □ □ □ □ □ □         the children are halved, and so in the child where it turns, down to an entry

It asks O(log n) times; n entries cost O(log n) nodes, each a fold of its states.
"""

from kernels.aggregators._dispatch import FOREVER
from kernels.aggregators.finger_tree.insert import settle
from kernels.aggregators.finger_tree.layout import (
    Tree,
    child_at,
    cleared,
    copy_state,
    node_at,
    state_at,
)
from kernels.aggregators.finger_tree.path import is_empty, left_leaf, right_leaf
from kernels.aggregators.finger_tree.query import query
from kernels.runtime.calls import call
from kernels.runtime.memory import inner, not_inlined
from kernels.states import fold, merge, prefixes


@inner
def first_where(tree: Tree, predicate, parameters, into):
    """Time of the entry, FOREVER if there is none or if the predicate failed; `into` becomes the prefix, of all entries
    where there is none. A predicate that is once true stays true for longer prefixes."""
    not_inlined()
    settle(tree)
    search = tree.search
    search.predicate, search.parameters, search.has_failed = predicate, parameters, False
    search.prefix = cleared(tree, into)
    if is_empty(tree):
        return FOREVER
    query(tree)
    level, name, slot = _turning_node(tree)
    for above in range(level, 0, -1):
        if search.has_failed:
            return FOREVER
        name = child_at(tree, node_at(tree, name), slot)
        slot = _narrow_node(tree, above - 1, name)
    if level < 0 or search.has_failed:
        return FOREVER
    leaf = node_at(tree, name)
    merge(tree.plan, into, into, state_at(tree, 0, leaf, slot))
    return leaf.times[slot]


@inner
def _asks(tree, prefix):
    """Whether the predicate is true of a prefix; once it failed it isn't asked again."""
    search = tree.search
    if search.has_failed:
        return False
    answer = call(search.predicate, tree.result, prefix, search.parameters)
    search.has_failed = answer < 0
    return answer > 0


@inner
def _turning_node(tree):
    """(level, name, slot) of the part of a spine at which the predicate turns true; level −1: of none."""
    leaf = left_leaf(tree)
    slot = leaf.first + _turn(tree, state_at(tree, 0, leaf, leaf.first), leaf.end - leaf.first)
    if slot < leaf.end:
        return 0, tree.left[0], slot
    for level in range(1, tree.height + 1):
        slot, end = _turn_inside(tree, tree.left[level], 1, level == tree.height)
        if slot < end:
            return level, tree.left[level], slot
    for level in range(tree.height - 1, 0, -1):
        slot, end = _turn_inside(tree, tree.right[level], 0, True)
        if slot < end:
            return level, tree.right[level], slot
    leaf = right_leaf(tree)
    if tree.height > 0:
        slot = _turn(tree, state_at(tree, 0, leaf, 0), leaf.end)
    return 0 if slot < leaf.end else -1, tree.right[0], slot


@inner
def _turn_inside(tree, name, first, without_last):
    """(slot at which the predicate turns true, end of the slots looked at), of a spine's node."""
    node = node_at(tree, name)
    end = node.end - 1 if without_last else node.end
    return first + _turn(tree, state_at(tree, 1, node, first), end - first), end


@inner
def _turn(tree, states, count):
    """How many of some states that stand together the prefix takes up before the predicate turns true."""
    not_inlined()
    if count <= 0 or tree.search.has_failed:
        return max(count, 0)
    copy_state(tree, tree.spare, tree.search.prefix)
    fold(tree.plan, tree.spare, states, tree.state_bytes, count)
    if _asks(tree, tree.spare):
        return _narrow(tree, states, count)
    if not tree.search.has_failed:
        copy_state(tree, tree.search.prefix, tree.spare)
    return count


@inner
def _narrow_node(tree, level, name):
    """Slot at which the predicate turns true in a node of which it does."""
    node = node_at(tree, name)
    return _narrow(tree, state_at(tree, level, node, 0), node.end)


@inner
def _narrow(tree, states, count):
    """How many of some states the prefix takes up before the predicate turns true, which it does at one of them: if not
    before, then at the last, whatever the rounding of floats makes of it."""
    not_inlined()
    size = tree.state_bytes
    prefixes(tree.plan, tree.merged_states, size, states, count, tree.search.prefix)
    low, high = 0, count - 1
    while low < high and not tree.search.has_failed:
        middle = (low + high) // 2
        if _asks(tree, tree.merged_states + middle * size):
            high = middle
        else:
            low = middle + 1
    if low > 0:
        copy_state(tree, tree.search.prefix, tree.merged_states + (low - 1) * size)
    return low
