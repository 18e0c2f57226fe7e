"""The path to a leaf: from the right finger up to the lowest spine node that covers a time, then down. O(log d), d
entries from the young end. A burst moves its path from leaf to leaf, up only as far as the two have an ancestor in
common (FIBA §5), and makes a node's aggregate right only when it leaves the node behind:

    top        △                  insert 5 6 7, then 40:
    level 1   △   △               path ▲ changed by 5 ⊗ 6 ⊗ 7: one combine in its parent, and the change goes up
    level 0  ▲ □ □ ■              on leaving; ■ is where the path goes on
"""

from windrow.kernels.aggregators.finger_tree.layout import (
    child_at,
    fold_slots,
    node_at,
    right_leaf,
    state_at,
)
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.states import clear, copy_state, fold, merge

NO_CHANGE, A_CHANGE, EVERYTHING = range(3)
"""What the aggregate of the path's node at a level lacks, in the parent."""


@inner
def count_below(times, count, time):
    """How many of some ascending times are < time."""
    base = 0
    while count > 1:
        half = count >> 1
        base += half if times[base + half - 1] < time else 0
        count -= half
    return base + (1 if count == 1 and times[base] < time else 0)


@inner
def count_until(times, count, time):
    """How many of some ascending times are ≤ time."""
    base = 0
    while count > 1:
        half = count >> 1
        base += half if times[base + half - 1] <= time else 0
        count -= half
    return base + (1 if count == 1 and times[base] <= time else 0)


@inner
def child_slot(node, time):
    """Slot of the child whose range holds `time`."""
    return count_until(node.times[1:], node.end - 1, time)


@inner
def slot_before(node, time):
    """Slot of the child that holds the youngest times below `time`; 0 if none does."""
    return count_below(node.times[1:], node.end - 1, time)


@inner
def entry_slot(leaf, time):
    """Slot of the first entry at or after `time`."""
    return leaf.first + count_below(leaf.times[leaf.first :], leaf.end - leaf.first, time)


@inner
def cover_level(tree, time):
    """Lowest level whose right spine node covers `time` and everything younger."""
    level = 0
    if tree.height > 0 and time < right_leaf(tree).times[0]:
        level = 1
        while level < tree.height and time < node_at(tree, tree.right[level]).times[0]:
            level += 1
    return level


@inner
def find_path(tree, time):
    """Record the path to the leaf for `time`, up to where it leaves the right spine."""
    not_inlined()
    tree.top = cover_level(tree, time)
    tree.path[tree.top] = tree.right[tree.top]
    tree.repair[tree.top] = NO_CHANGE
    _descend(tree, tree.top, time)


@inner
def _descend(tree, level, time):
    name = tree.path[level]
    for above in range(level, 0, -1):
        node = node_at(tree, name)
        slot = child_slot(node, time)
        name = child_at(tree, node, slot)
        tree.slot[above] = slot
        tree.path[above - 1] = name
        tree.repair[above - 1] = NO_CHANGE


@inner
def reach(tree, level):
    """Continue the path up to `level`, along the right spine."""
    for above in range(tree.top + 1, level + 1):
        name = tree.right[above]
        tree.path[above] = name
        tree.slot[above] = node_at(tree, name).end - 1
        tree.repair[above] = NO_CHANGE
    tree.top = max(level, tree.top)


@inner
def path_end(tree):
    """(whether the path's leaf ends before some other one, first time that is not its own)."""
    for level in range(1, tree.top + 1):
        node, following = node_at(tree, tree.path[level]), tree.slot[level] + 1
        if following < node.end:
            return True, node.times[following]
    return False, 0


@inner
def move_path(tree, time):
    """Go on to the leaf for `time`, which is younger than the path's leaf."""
    not_inlined()
    level = _common_level(tree, time)
    leave_path(tree, level)
    _descend(tree, level, time)


@inner
def _common_level(tree, time):
    """The lowest level whose node on the path covers `time` too."""
    common = 0
    for level in range(1, tree.top + 1):
        node, following = node_at(tree, tree.path[level]), tree.slot[level] + 1
        if following < node.end:
            if time < node.times[following]:
                return common
            common = level
    return common


@inner
def note_change(tree, states, count):
    """Note that some states went into the path's leaf."""
    if not tree.is_commutative:
        tree.repair[0] = EVERYTHING
    elif tree.repair[0] != EVERYTHING:
        if tree.repair[0] == NO_CHANGE:
            clear(tree.plan, tree.changes)
        fold(tree.plan, tree.changes, states, tree.state_bytes, count)
        tree.repair[0] = A_CHANGE


@inner
def leave_path(tree, levels):
    """Make the aggregates of the path's lowest nodes right, and note what is lacking above them."""
    not_inlined()
    lacks, change = NO_CHANGE, 0
    for level in range(levels):
        lacks, change = _all_that_lacks(tree, level, lacks, change)
        tree.repair[level] = NO_CHANGE
        if lacks != NO_CHANGE and not _lies_on_spine(tree, level):
            parent, slot = node_at(tree, tree.path[level + 1]), tree.slot[level + 1]
            if lacks == A_CHANGE:
                there = state_at(tree, level + 1, parent, slot)
                merge(tree.plan, there, there, change)
            else:
                refold(tree, level, parent, slot)
    if levels <= tree.top and lacks != NO_CHANGE:
        lacks, change = _all_that_lacks(tree, levels, lacks, change)
        tree.repair[levels] = lacks
        if lacks == A_CHANGE and change != _change_at(tree, levels):
            copy_state(tree, _change_at(tree, levels), change)


@inner
def _change_at(tree, level):
    return tree.changes + level * tree.state_bytes


@inner
def _all_that_lacks(tree, level, below, change):
    """What the path's node at `level` lacks with what the one below did: (kind, address of the change)."""
    here, own = tree.repair[level], _change_at(tree, level)
    if here == EVERYTHING or below == EVERYTHING:
        return EVERYTHING, 0
    if here == NO_CHANGE:
        return below, change
    if below == A_CHANGE:
        merge(tree.plan, own, own, change)
    return A_CHANGE, own


@inner
def _lies_on_spine(tree, level):
    """Whether the path's node at `level` does; its side is then to be made again."""
    name = tree.path[level]
    if name == tree.right[level]:
        tree.right_dirty = max(level, tree.right_dirty)
        tree.middle_dirty = tree.middle_dirty or level == tree.height
        return True
    if name == tree.left[level]:
        tree.left_dirty = max(level, tree.left_dirty)
        return True
    return False


@inner
def refold(tree, level, parent, slot):
    """Make the aggregate of a child at `level`, which is on no spine, again from the child's own states."""
    not_inlined()
    node, into = node_at(tree, child_at(tree, parent, slot)), clear(tree.plan, state_at(tree, level + 1, parent, slot))
    fold_slots(tree, into, level, node, node.first if level == 0 else 0, node.end)


@inner
def refold_unless_spine(tree, level, parent, slot):
    name = child_at(tree, parent, slot)
    if name != tree.left[level] and name != tree.right[level]:
        refold(tree, level, parent, slot)
