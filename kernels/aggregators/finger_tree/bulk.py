"""Sorted entries into the tree (FIBA §5): all that go into one leaf at once, and full leaves where they overflow.

leaf [1 5 9]  ← 2 3 4 6 7      merged 1 2 3 4 5 6 7 9, cut into leaves as even as can be: [1 2 3 4] [5 6 7 9];
                               the first stays where it was, each other one is linked behind it (split.py)
"""

from kernels.aggregators.finger_tree.layout import (
    Tree,
    compact,
    copy_state,
    entry_state,
    leaf_at,
    mark_query_dirty,
    move_entries,
)
from kernels.aggregators.finger_tree.nodes import new_leaf
from kernels.aggregators.finger_tree.path import (
    find_path,
    leave_path,
    move_path,
    note_change,
    path_at_young_end,
    path_end,
    path_leaf,
)
from kernels.aggregators.finger_tree.search import count_below, entry_slot, is_empty, right_leaf, youngest
from kernels.aggregators.finger_tree.split import link
from kernels.runtime.fields import WORD_BYTES, Times
from kernels.runtime.memory import inner, move, not_inlined
from kernels.states import merge

FEW = 8


@inner
def append_sorted(tree, times, states, rows):
    """Append entries with ascending times, all younger than the tree's; equal times combine."""
    not_inlined()
    row = 0
    while row < rows:
        leaf = right_leaf(tree)
        if leaf.end == tree.leaf_max:
            leaf = _make_room(tree, leaf, times[row])
        row += _fill(tree, leaf, times[row:], states + row * tree.state_bytes, rows - row)


@inner
def _make_room(tree, leaf, time):
    """The right leaf, with room: what was evicted from it is given up, or a new one follows."""
    not_inlined()
    if leaf.first > 0:
        compact(tree, leaf)
        return leaf
    path_at_young_end(tree)
    new = new_leaf(tree)
    tree.right[0] = new
    link(tree, time, new)
    return leaf_at(tree, new)


@inner
def _fill(tree, leaf, times, states, rows):
    """Append as many entries as the leaf has room for, and those that have the last one's time; returns how many."""
    taken, most = 1, min(rows, tree.leaf_max - leaf.end)
    while taken < most and times[taken - 1] < times[taken]:
        taken += 1
    _write(tree, leaf, leaf.end, times, states, taken)
    last = entry_state(tree, leaf, leaf.end - 1)
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
        leave_path(tree)
    append_sorted(tree, times[row:], states + row * tree.state_bytes, rows - row)


@inner
def _into_leaf(tree, times, states, rows):
    """Insert entries that all belong into the path's leaf."""
    leaf = path_leaf(tree)
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
    equal = 0
    for row in range(1, rows):  # without a way out, so that it is compiled to vector instructions
        equal += times[row] == times[row - 1]
    return equal == 0


@inner
def _append_behind(tree, times, states, rows):
    """Entries that follow all of the path's leaf, which is filled first."""
    not_inlined()
    leaf = path_leaf(tree)
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
    there = entry_state(tree, leaf, slot)
    if slot < leaf.end and leaf.times[slot] == time:
        merge(tree.plan, there, there, state)
        return
    move_entries(tree, leaf, slot, leaf, slot + 1, leaf.end - slot)
    leaf.times[slot] = time
    copy_state(tree, there, state)
    leaf.end += 1


@inner
def _merge_in(tree, leaf, slot, times, states, rows):
    """Insert entries among those that the path's leaf has from `slot` on."""
    merged = _merge_out(tree, leaf, slot, times, states, rows)
    if slot + merged <= tree.leaf_max:
        _write(tree, leaf, slot, tree.merged_times, tree.merged_states, merged)
        note_change(tree, states, rows)
    else:
        _spread(tree, leaf, tree.merged_times, tree.merged_states, merged)


@inner
def _merge_out(tree, leaf, slot, times, states, rows):
    """Write the leaf's entries from `slot` on and the new ones in order of time; returns how many there are now."""
    end, into = leaf.end, tree.merged_states - tree.state_bytes
    merged = row = 0
    while slot < end or row < rows:
        from_leaf = row == rows or (slot < end and leaf.times[slot] <= times[row])
        time = leaf.times[slot] if from_leaf else times[row]
        state = entry_state(tree, leaf, slot) if from_leaf else states + row * tree.state_bytes
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
    move(entry_state(tree, leaf, slot), states, entries * (tree.state_bytes // WORD_BYTES))
    leaf.end = slot + entries


@inner
def _spread(tree, leaf, times, states, entries):
    """Cut entries into the path's leaf and new ones behind it: even, or full ones at the young end."""
    most = tree.leaf_max
    leaves = (entries + most - 1) // most
    here = most if tree.path[0] == tree.right[0] else (entries + leaves - 1) // leaves
    _write(tree, leaf, 0, times, states, here)
    _add_leaves(tree, times[here:], states + here * tree.state_bytes, entries - here)


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
        _write(tree, leaf_at(tree, new), 0, times[place:], states + place * tree.state_bytes, here)
        if in_order:
            tree.right[0] = new
        link(tree, times[place], new)
        place += here
