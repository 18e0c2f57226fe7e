"""Prefix search: the first entry at which a predicate over (total, aggregate of all up to and with that entry) turns
true.

             △  2nd             up the left spine and down the right one, a question a node: is the predicate true
       1st △   △   △ 3rd        with all that its inner children hold? In the node where it turns, running folds of
          □ □ □ □ □ □ □         the children are halved, and so in the child where it turns, down to an entry

It asks O(log n) times; n entries cost O(log n) nodes, each a fold of its states.
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.aggregators.finger_tree.insert import settle
from windrow.kernels.aggregators.finger_tree.layout import Tree, child_at, is_empty, node_at, state_at
from windrow.kernels.aggregators.finger_tree.query import query
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.states import clear, copy_state, fold, merge, prefixes


@inner
def first_where(tree: Tree, predicate, parameters, into):
    """Time of the entry, FOREVER if there is none or if the predicate failed; `into` becomes the prefix, of all entries
    where there is none. A predicate that is once true stays true for longer prefixes."""
    not_inlined()
    settle(tree)
    search = tree.search
    search.predicate, search.parameters, search.has_failed = predicate, parameters, False
    search.prefix = clear(tree.plan, into)
    if is_empty(tree):
        return FOREVER
    query(tree)
    level, node, slot = _turning_node(tree)
    for above in range(level - 1, -1, -1):
        if search.has_failed:
            return FOREVER
        node = node_at(tree, child_at(tree, node, slot))
        slot = _narrow(tree, state_at(tree, above, node, 0), node.end)
    if level < 0 or search.has_failed:
        return FOREVER
    merge(tree.plan, into, into, state_at(tree, 0, node, slot))
    return node.times[slot]


@inner
def _asks(tree, prefix):
    """Whether the predicate is true of a prefix; once it failed it isn't asked again."""
    search = tree.search
    if search.has_failed:
        return False
    answer = search.predicate(tree.result, prefix, search.parameters)
    search.has_failed = answer < 0
    return answer > 0


@inner
def _turning_node(tree):
    """(level, node, slot) of the part of a spine at which the predicate turns true; level −1: of none."""
    for level in range(tree.height + 1):
        node = node_at(tree, tree.left[level])
        first, end = 1, node.end - (1 if level == tree.height else 0)
        if level == 0:
            first, end = node.first, node.end
        slot = _turn(tree, level, node, first, end)
        if slot < end:
            return level, node, slot
    for level in range(tree.height - 1, -1, -1):
        node = node_at(tree, tree.right[level])
        end = node.end - (1 if level > 0 else 0)
        slot = _turn(tree, level, node, 0, end)
        if slot < end:
            return level, node, slot
    return -1, node_at(tree, tree.right[0]), 0


@inner
def _turn(tree, level, node, first, end):
    """The slot of [first, end) at which the predicate turns true, else `end`: the prefix takes up those before."""
    not_inlined()
    if first >= end or tree.search.has_failed:
        return end
    states = state_at(tree, level, node, first)
    copy_state(tree, tree.spare, tree.search.prefix)
    fold(tree.plan, tree.spare, states, tree.state_bytes, end - first)
    if _asks(tree, tree.spare):
        return first + _narrow(tree, states, end - first)
    if not tree.search.has_failed:
        copy_state(tree, tree.search.prefix, tree.spare)
    return end


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
