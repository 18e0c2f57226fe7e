"""Sorted entries into the tree (FIBA §5): all that go into one leaf at once, and full leaves where they overflow.

    leaf [1 5 9]  ← 2 3 4 6 7      merged 1 2 3 4 5 6 7 9, cut into leaves as even as can be: [1 2 3 4] [5 6 7 9];
                                   the first stays where it was, each other one is linked behind it (split.py)
"""

from kernels.aggregators.finger_tree.layout import (
    CHANGE,
    END,
    FIRST,
    HEIGHT,
    IS_COMMUTATIVE,
    KEYS,
    LEAF_MAX,
    LEAF_MIN,
    LEFT,
    LEFT_DIRTY,
    MERGED_TIMES,
    MIDDLE_DIRTY,
    PATH,
    PLAN,
    RIGHT,
    RIGHT_DIRTY,
    SIZE,
    SLOT,
    STATE_BYTES,
    child_state,
    clear_scratch,
    compact,
    copy_state,
    entry_state,
    merged_states,
    move_entries,
    node_address,
    soil_query,
)
from kernels.aggregators.finger_tree.nodes import new_leaf
from kernels.aggregators.finger_tree.search import (
    count_below,
    entry_slot,
    extend_path,
    find_path,
    is_empty,
    right_leaf,
    youngest,
)
from kernels.aggregators.finger_tree.split import link, refold
from kernels.memory import inner, load, move, not_inlined, store
from kernels.states import fold, merge

FEW = 8


@inner
def append_sorted(tree, times, states, rows):
    """Append entries with ascending times, all younger than the tree's; equal times combine."""
    not_inlined()
    row = 0
    while row < rows:
        leaf = right_leaf(tree)
        if load(leaf, END) == load(tree, LEAF_MAX):
            leaf = _make_room(tree, leaf, load(times, row))
        row += _fill(tree, leaf, times + 8 * row, states + row * load(tree, STATE_BYTES), rows - row)


@inner
def _make_room(tree, leaf, time):
    """The right leaf, with room: what was evicted from it is given up, or a new one follows."""
    not_inlined()
    if load(leaf, FIRST) > 0:
        compact(tree, leaf)
        return leaf
    store(tree, PATH, load(tree, RIGHT))
    extend_path(tree, 0)
    new = new_leaf(tree)
    store(tree, RIGHT, new)
    link(tree, time, new)
    return node_address(tree, new)


@inner
def _fill(tree, leaf, times, states, rows):
    """Append as many entries as the leaf has room for, and those that have the last one's time; returns how many."""
    end = load(leaf, END)
    taken, most = 1, min(rows, load(tree, LEAF_MAX) - end)
    while taken < most and load(times, taken - 1) < load(times, taken):
        taken += 1
    move(leaf + 8 * (KEYS + end), times, taken)
    move(entry_state(tree, leaf, end), states, taken * (load(tree, STATE_BYTES) // 8))
    store(leaf, END, end + taken)
    last = entry_state(tree, leaf, end + taken - 1)
    while taken < rows and load(times, taken) == load(times, taken - 1):
        merge(load(tree, PLAN), last, last, states + taken * load(tree, STATE_BYTES))
        taken += 1
    return taken


@inner
def insert_sorted(tree, times, states, rows):
    """Insert up to CHUNK entries with ascending times anywhere. The query's young part is left to the caller."""
    not_inlined()
    row = 0
    while row < rows:
        time, rest = times + 8 * row, rows - row
        state = states + row * load(tree, STATE_BYTES)
        if is_empty(tree) or load(time, 0) > youngest(tree):
            append_sorted(tree, time, state, rest)
            return
        top = find_path(tree, load(time, 0))
        ends, end = _leaf_end(tree, top)
        here = count_below(time, rest, end) if ends else rest
        _into_leaf(tree, top, time, state, here)
        row += here


@inner
def _leaf_end(tree, top):
    """(whether the path's leaf ends before some other one, first time that is not its own)."""
    for level in range(1, top + 1):
        node = node_address(tree, load(tree, PATH + level))
        slot = load(tree, SLOT + level) + 1
        if slot < load(node, SIZE):
            return True, load(node, KEYS + slot)
    return False, 0


@inner
def _into_leaf(tree, top, times, states, rows):
    """Insert entries that all belong into the path's leaf."""
    name = load(tree, PATH)
    leaf = node_address(tree, name)
    if name == load(tree, LEFT):
        soil_query(tree)
        compact(tree, leaf)
    fits = load(leaf, END) + rows <= load(tree, LEAF_MAX)
    if rows > FEW and _follow_all(tree, leaf, times, rows):
        _append_behind(tree, top, times, states, rows)
        return
    if fits and rows <= FEW:
        for row in range(rows):
            _open_slot(tree, leaf, load(times, row), states + row * load(tree, STATE_BYTES))
        _propagate(tree, states, rows)
        return
    slot = entry_slot(leaf, load(times, 0)) if fits else 0
    merged = _merge_out(tree, leaf, slot, times, states, rows)
    if slot + merged <= load(tree, LEAF_MAX):
        _write(tree, leaf, slot, load(tree, MERGED_TIMES), merged_states(tree), merged)
        _propagate(tree, states, rows)
    else:
        extend_path(tree, top)
        _spread(tree, load(tree, MERGED_TIMES), merged_states(tree), merged)


@inner
def _follow_all(tree, leaf, times, rows):
    """Whether new entries are younger than all of a leaf, of different times, and enough to fill what they overflow
    into: then nothing has to be merged. Half of a burst's time was that, behind a window's younger part."""
    end, over = load(leaf, END), load(leaf, END) + rows - load(tree, LEAF_MAX)
    if (end > 0 and load(leaf, KEYS + end - 1) >= load(times, 0)) or 0 < over < load(tree, LEAF_MIN):
        return False
    equal = 0
    for row in range(1, rows):  # without a way out, so that it is compiled to vector instructions
        equal += load(times, row) == load(times, row - 1)
    return equal == 0


@inner
def _append_behind(tree, top, times, states, rows):
    """Entries that follow all of the path's leaf, which is filled first."""
    not_inlined()
    leaf = node_address(tree, load(tree, PATH))
    here = min(rows, load(tree, LEAF_MAX) - load(leaf, END))
    _write(tree, leaf, load(leaf, END), times, states, here)
    if here == rows:
        _propagate(tree, states, rows)
    else:
        extend_path(tree, top)
        _add_leaves(tree, times + 8 * here, states + here * load(tree, STATE_BYTES), rows - here)


@inner
def _open_slot(tree, leaf, time, state):
    """Insert one entry into a leaf with room."""
    slot, end = entry_slot(leaf, time), load(leaf, END)
    there = entry_state(tree, leaf, slot)
    if slot < end and load(leaf, KEYS + slot) == time:
        merge(load(tree, PLAN), there, there, state)
        return
    move_entries(tree, leaf, slot, leaf, slot + 1, end - slot)
    store(leaf, KEYS + slot, time)
    copy_state(tree, there, state)
    store(leaf, END, end + 1)


@inner
def _merge_out(tree, leaf, slot, times, states, rows):
    """Write the leaf's entries from `slot` on and the new ones in order of time; returns how many there are now."""
    plan, state_bytes, end = load(tree, PLAN), load(tree, STATE_BYTES), load(leaf, END)
    into_times, into = load(tree, MERGED_TIMES), merged_states(tree) - state_bytes
    merged = row = 0
    while slot < end or row < rows:
        from_leaf = row == rows or (slot < end and load(leaf, KEYS + slot) <= load(times, row))
        time = load(leaf, KEYS + slot) if from_leaf else load(times, row)
        state = entry_state(tree, leaf, slot) if from_leaf else states + row * state_bytes
        slot += 1 if from_leaf else 0
        row += 0 if from_leaf else 1
        if merged > 0 and load(into_times, merged - 1) == time:
            merge(plan, into, into, state)
        else:
            into += state_bytes
            copy_state(tree, into, state)
            store(into_times, merged, time)
            merged += 1
    return merged


@inner
def _write(tree, leaf, slot, times, states, entries):
    """Make entries those of a leaf from `slot` on."""
    move(leaf + 8 * (KEYS + slot), times, entries)
    move(entry_state(tree, leaf, slot), states, entries * (load(tree, STATE_BYTES) // 8))
    store(leaf, END, slot + entries)


@inner
def _spread(tree, times, states, entries):
    """Cut entries into the path's leaf and new ones behind it: even, or full ones at the young end."""
    name, most = load(tree, PATH), load(tree, LEAF_MAX)
    leaves = (entries + most - 1) // most
    here = most if name == load(tree, RIGHT) else (entries + leaves - 1) // leaves
    _write(tree, node_address(tree, name), 0, times, states, here)
    _add_leaves(tree, times + 8 * here, states + here * load(tree, STATE_BYTES), entries - here)


@inner
def _add_leaves(tree, times, states, entries):
    """Link new leaves behind that of the path, which reaches the root: even, or full ones at the young end."""
    not_inlined()
    in_order, most = load(tree, PATH) == load(tree, RIGHT), load(tree, LEAF_MAX)
    leaves, place = (entries + most - 1) // most, 0
    for number in range(leaves):
        here = entries // leaves + (1 if number < entries % leaves else 0)
        if in_order:
            here = min(most, entries - place)
        new = new_leaf(tree)
        _write(tree, node_address(tree, new), 0, times + 8 * place, states + place * load(tree, STATE_BYTES), here)
        if number > 0:
            extend_path(tree, find_path(tree, load(times, place - 1)))
        if in_order:
            store(tree, RIGHT, new)
        link(tree, load(times, place), new)
        place += here


@inner
def _propagate(tree, states, rows):
    """After some states went into the leaf of the path: repair what covers it, up to the spine."""
    change = clear_scratch(tree, CHANGE)
    if load(tree, IS_COMMUTATIVE) == 1:
        fold(load(tree, PLAN), change, states, load(tree, STATE_BYTES), rows)
    level = 0
    while not _meets_spine(tree, level):
        parent = node_address(tree, load(tree, PATH + level + 1))
        slot = load(tree, SLOT + level + 1)
        if load(tree, IS_COMMUTATIVE) == 1:
            there = child_state(tree, parent, slot)
            merge(load(tree, PLAN), there, there, change)
        else:
            refold(tree, level, parent, slot)
        level += 1


@inner
def _meets_spine(tree, level):
    """Whether the path's node at `level` lies on a spine, whose side is then to be made again."""
    name = load(tree, PATH + level)
    if name == load(tree, RIGHT + level):
        store(tree, RIGHT_DIRTY, max(level, load(tree, RIGHT_DIRTY)))
        store(tree, MIDDLE_DIRTY, load(tree, MIDDLE_DIRTY) | (level == load(tree, HEIGHT)))
        return True
    if name == load(tree, LEFT + level):
        store(tree, LEFT_DIRTY, max(level, load(tree, LEFT_DIRTY)))
        return True
    return False
