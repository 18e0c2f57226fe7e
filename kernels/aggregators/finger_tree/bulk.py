"""Sorted entries into the tree (FIBA §5): all that go into one leaf at once, and full leaves where they overflow.

leaf [1 5 9]  ← 2 3 4 6 7      merged 1 2 3 4 5 6 7 9, cut into leaves as even as can be: [1 2 3 4] [5 6 7 9];
                               the first stays where it was, each other one is linked behind it (link)
"""

from windrow.kernels.aggregators._dispatch import all_differ
from windrow.kernels.aggregators.finger_tree.layout import (
    Tree,
    compact,
    is_empty,
    mark_query_dirty,
    mark_sides_dirty,
    move_slots,
    node_at,
    right_leaf,
    set_child,
    state_at,
    youngest,
)
from windrow.kernels.aggregators.finger_tree.nodes import new_inner, new_leaf
from windrow.kernels.aggregators.finger_tree.path import (
    EVERYTHING,
    NO_CHANGE,
    count_below,
    entry_slot,
    find_path,
    leave_path,
    move_path,
    note_change,
    path_end,
    reach,
    refold_unless_spine,
)
from windrow.kernels.runtime.fields import WORD_BYTES, Times
from windrow.kernels.runtime.memory import inner, move, not_inlined
from windrow.kernels.states import copy_state, merge

FEW = 8
"""Entries up to which they go in one by one."""


@inner
def append_sorted(tree, times, states, rows):
    """Append entries with ascending times, all younger than the tree's; equal times combine."""
    not_inlined()
    row = 0
    while row < rows:
        leaf = right_leaf(tree)
        if leaf.end == tree.leaf_max and leaf.first > 0:  # what was evicted from it is given up
            compact(tree, leaf)
        elif leaf.end == tree.leaf_max:
            find_path(tree, times[row])
            tree.right[0] = new_leaf(tree)
            link(tree, times[row], tree.right[0])
            leaf = right_leaf(tree)
        row += _fill(tree, leaf, times[row:], states + row * tree.state_bytes, rows - row)


@inner
def _fill(tree, leaf, times, states, rows):
    """Append as many entries as the leaf has room for, and those that have the last one's time; returns how many."""
    taken, most = 1, min(rows, tree.leaf_max - leaf.end)
    while taken < most and times[taken - 1] < times[taken]:
        taken += 1
    _write(tree, leaf, leaf.end, times, states, taken)
    last = state_at(tree, 0, leaf, leaf.end - 1)
    while taken < rows and times[taken] == times[taken - 1]:
        merge(tree.plan, last, last, states + taken * tree.state_bytes)
        taken += 1
    return taken


@inner
def insert_sorted(tree: Tree, times: Times, states, rows):
    """Insert up to CHUNK entries with ascending times anywhere. The query's young part is left to the caller."""
    not_inlined()
    row, on_path = 0, False
    while row < rows and not (is_empty(tree) or times[row] > youngest(tree)):
        if on_path:
            move_path(tree, times[row])
        else:
            find_path(tree, times[row])
        on_path = True
        ends, end = path_end(tree)
        here = count_below(times[row:], rows - row, end) if ends else rows - row
        _into_leaf(tree, times[row:], states + row * tree.state_bytes, here)
        row += here
    if on_path:
        leave_path(tree, tree.top + 1)
    append_sorted(tree, times[row:], states + row * tree.state_bytes, rows - row)


@inner
def _into_leaf(tree, times, states, rows):
    """Insert entries that all belong into the path's leaf."""
    leaf = node_at(tree, tree.path[0])
    if tree.path[0] == tree.left[0]:
        mark_query_dirty(tree)
        compact(tree, leaf)
    fits = leaf.end + rows <= tree.leaf_max
    if rows > FEW and _follow_all(tree, leaf, times, rows):
        _append_behind(tree, times, states, rows)
    elif fits and rows <= FEW:
        for row in range(rows):
            _open_slot(tree, leaf, times[row], states + row * tree.state_bytes)
        note_change(tree, states, rows)
    else:
        _merge_in(tree, leaf, entry_slot(leaf, times[0]) if fits else 0, times, states, rows)


@inner
def _follow_all(tree, leaf, times, rows):
    """Whether new entries are younger than all of a leaf, of different times, and enough to fill what they overflow
    into: then nothing has to be merged. Half of a burst's time was that, behind a window's younger part."""
    over = leaf.end + rows - tree.leaf_max
    if (leaf.end > 0 and leaf.times[leaf.end - 1] >= times[0]) or 0 < over < tree.leaf_min:
        return False
    return all_differ(times, 0, rows)


@inner
def _append_behind(tree, times, states, rows):
    """Entries that follow all of the path's leaf, which is filled first."""
    not_inlined()
    leaf = node_at(tree, tree.path[0])
    here = min(rows, tree.leaf_max - leaf.end)
    _write(tree, leaf, leaf.end, times, states, here)
    if here == rows:
        note_change(tree, states, rows)
    else:
        _add_leaves(tree, times[here:], states + here * tree.state_bytes, rows - here)


@inner
def _open_slot(tree, leaf, time, state):
    """Insert one entry into a leaf with room."""
    slot = entry_slot(leaf, time)
    there = state_at(tree, 0, leaf, slot)
    if slot < leaf.end and leaf.times[slot] == time:
        merge(tree.plan, there, there, state)
        return
    move_slots(tree, 0, leaf, slot, (leaf, slot + 1), leaf.end - slot)
    leaf.times[slot] = time
    copy_state(tree, there, state)
    leaf.end += 1


@inner
def _merge_in(tree, leaf, slot, times, states, rows):
    """Insert entries among those that the path's leaf has from `slot` on; what overflows goes into new leaves."""
    merged = _merge_out(tree, leaf, slot, times, states, rows)
    if slot + merged <= tree.leaf_max:
        _write(tree, leaf, slot, tree.merged_times, tree.merged_states, merged)
        note_change(tree, states, rows)
    else:
        leaves = (merged + tree.leaf_max - 1) // tree.leaf_max
        here = tree.leaf_max if tree.path[0] == tree.right[0] else (merged + leaves - 1) // leaves
        _write(tree, leaf, 0, tree.merged_times, tree.merged_states, here)
        _add_leaves(tree, tree.merged_times[here:], tree.merged_states + here * tree.state_bytes, merged - here)


@inner
def _merge_out(tree, leaf, slot, times, states, rows):
    """Write the leaf's entries from `slot` on and the new ones in order of time; returns how many there are now."""
    end, into = leaf.end, tree.merged_states - tree.state_bytes
    merged = row = 0
    while slot < end or row < rows:
        from_leaf = row == rows or (slot < end and leaf.times[slot] <= times[row])
        time = leaf.times[slot] if from_leaf else times[row]
        state = state_at(tree, 0, leaf, slot) if from_leaf else states + row * tree.state_bytes
        slot += 1 if from_leaf else 0
        row += 0 if from_leaf else 1
        if merged > 0 and tree.merged_times[merged - 1] == time:
            merge(tree.plan, into, into, state)
        else:
            into += tree.state_bytes
            copy_state(tree, into, state)
            tree.merged_times[merged] = time
            merged += 1
    return merged


@inner
def _write(tree, leaf, slot, times, states, entries):
    """Make entries those of a leaf from `slot` on."""
    move(leaf.times[slot:], times, entries)
    move(state_at(tree, 0, leaf, slot), states, entries * (tree.state_bytes // WORD_BYTES))
    leaf.end = slot + entries


@inner
def _add_leaves(tree, times, states, entries):
    """Link new leaves behind that of the path, which goes on in the last: even, or full ones at the young end."""
    not_inlined()
    in_order, most = tree.path[0] == tree.right[0], tree.leaf_max
    leaves, place = (entries + most - 1) // most, 0
    for number in range(leaves):
        here = entries // leaves + (1 if number < entries % leaves else 0)
        if in_order:
            here = min(most, entries - place)
        new = new_leaf(tree)
        _write(tree, node_at(tree, new), 0, times[place:], states + place * tree.state_bytes, here)
        if in_order:
            tree.right[0] = new
        link(tree, times[place], new)
        place += here


@inner
def link(tree, key, child):
    """Link a new leaf behind that of the path, and let the path go on there; its times start at `key`.

    The caller has named it the right finger, if it is. O(1) amortised.
    """
    not_inlined()
    tree.path[0], tree.repair[0] = child, NO_CHANGE
    follows = True  # whether the path goes on in the new child
    for level in range(1, tree.height + 1):
        reach(tree, level)
        parent, slot = node_at(tree, tree.path[level]), tree.slot[level]
        refold_unless_spine(tree, level - 1, parent, slot)
        if parent.end < tree.max_arity:
            _adopt(tree, level, parent, slot + 1, key, child)
            tree.slot[level] = slot + follows
            tree.repair[level] = EVERYTHING
            mark_sides_dirty(tree, level)
            return
        child = _split_inner(tree, level, key, child)
        key = node_at(tree, child).times[0]
        follows = _follow(tree, level, slot + follows, child)
    old, tree.height = tree.left[tree.height], tree.height + 1
    root = new_inner(tree, tree.height)
    tree.left[tree.height] = tree.right[tree.height] = root
    node = node_at(tree, root)
    set_child(tree, node, 0, 0, old)
    set_child(tree, node, 1, key, child)
    node.end = 2
    reach(tree, tree.height)
    tree.slot[tree.height] = 1 if follows else 0
    mark_sides_dirty(tree, tree.height)


@inner
def _adopt(tree, level, parent, slot, key, child):
    """Give an inner node at `level`, which has room, a new child."""
    not_inlined()
    move_slots(tree, level, parent, slot, (parent, slot + 1), parent.end - slot)
    set_child(tree, parent, slot, key, child)
    parent.end += 1
    refold_unless_spine(tree, level - 1, parent, slot)


@inner
def _split_inner(tree, level, key, child):
    """Split the path's full node around its new child behind the path's slot; returns the new node's name.

    In order the old node stays full and the new one starts with the one child: half-full nodes would double the tree.
    """
    not_inlined()
    name, slot, full = tree.path[level], tree.slot[level], tree.max_arity
    new = new_inner(tree, level)
    node, sibling = node_at(tree, name), node_at(tree, new)
    in_order = slot == full - 1 and name == tree.right[level]
    keep = full if in_order else full // 2
    move_slots(tree, level, node, keep, (sibling, 0), full - keep)
    node.end, sibling.end = keep, full - keep
    if name == tree.right[level]:
        tree.right[level] = new
    if slot >= keep or in_order:
        _adopt(tree, level, sibling, slot + 1 - keep, key, child)
    else:
        _adopt(tree, level, node, slot + 1, key, child)
    return new


@inner
def _follow(tree, level, slot, new):
    """Let the path go on at `slot` of a node that was split, counted through both; whether that is in the new one."""
    kept = node_at(tree, tree.path[level]).end
    tree.repair[level] = NO_CHANGE
    tree.slot[level] = slot
    if slot < kept:
        return False
    tree.slot[level] = slot - kept
    tree.path[level] = new
    return True
