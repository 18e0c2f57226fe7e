"""The operations of both monoid trees, made from what differs between them.

What may need a page of the store answers MISSING, and FULL where full pages must go to it first; both without having
changed anything. In memory neither happens, and a caller need not look.
"""

import functools
from typing import NamedTuple

from kernels.aggregators._forest.layout import (
    clear_scratch,
    copy_node,
    copy_state,
    node,
    scratch,
    scratch_node,
)
from kernels.aggregators._forest.paging import heads_here
from kernels.aggregators._forest.search import find, fold_range
from kernels.aggregators._forest.words import (
    BATCH,
    BATCH_NODES,
    END,
    FALLING_SLOT,
    FIRST,
    FIRST_TIME,
    HAS_OPEN,
    MISSING,
    NODE_BYTES,
    OPEN,
    OPEN_TIME,
    PAGE_NODES,
    PLAN,
    POSITION,
    RESULT,
)
from kernels.aggregators._window import DONE, NOT_OLDEST, NOTHING, OUT_OF_ORDER
from kernels.memory import inner, load, not_inlined, store
from kernels.states import lift_each, merge


class Operations(NamedTuple):
    """Compiled functions of one kernel; `s` is the address of its structure."""

    put: object
    """put(s, time, state) → DONE, OUT_OF_ORDER, FULL or MISSING."""
    put_rows: object
    """put_rows(s, times, source, first, end) → (status, next row)."""
    drop_until: object
    """drop_until(s, time) → status: evict all entries at times ≤ `time`."""
    drop_oldest: object
    """drop_oldest(s, time) → status: evict the oldest entry, if it is at `time`; else NOT_OLDEST or NOTHING."""
    drop_searched: object
    """drop_searched(s) → status: evict what the search of a slide policy found."""
    reset: object
    """reset(s): evict everything."""
    query: object
    """query(s) → address of the aggregate of all entries, valid until the next call. O(1)."""
    insert: object
    """insert(s, time, state): at the youngest time it is combined behind what is there; False, and nothing is done,
    for an older time."""
    insert_burst: object
    """insert_burst(s, times, source, rows): the first `rows` events of a source, whose times ascend; `times` an
    address. False, and none is inserted, if they begin before the youngest time."""
    bulk_evict: object
    """bulk_evict(s, time): evict all entries at times ≤ `time`. O(log n)."""
    evict: object
    """evict(s, time): evict the oldest entry; False if it isn't at `time`."""


@inner
def is_empty(s):
    return load(s, HAS_OPEN) == 0


@inner
def oldest(s):
    """Time of the oldest entry; the window must not be empty."""
    return load(s, FIRST_TIME) if load(s, FIRST) < load(s, END) else load(s, OPEN_TIME)


@inner
def youngest(s):
    """Time of the youngest entry; the window must not be empty."""
    return load(s, OPEN_TIME)


@inner
def status_of(s, time):
    """NOT_OLDEST if an entry is at `time`, NOTHING if none is; MISSING."""
    not_inlined()
    place = find(s, time)
    if place == load(s, END):
        return NOT_OLDEST if load(s, OPEN_TIME) == time else NOTHING
    found = node(s, 0, place, FALLING_SLOT) if place >= 0 else 0
    if found == 0:
        return MISSING
    return NOT_OLDEST if load(found, 0) == time else NOTHING


@inner
def count_entries(s):
    return load(s, END) - load(s, FIRST) + load(s, HAS_OPEN)


@inner
def fold_between(s, first, end, with_open):
    """(whether no page was missing, address of the aggregate of the places [first, end), and of the open entry)."""
    not_inlined()
    result = clear_scratch(s, RESULT)
    found = fold_range(s, first, end, result)
    if with_open:
        merge(load(s, PLAN), result, result, scratch(s, OPEN))
    return found, result


@inner
def range_query(s, low, high):
    """Address of the aggregate of the entries with times in [low, high), valid until the next call. O(log n).

    In memory only: with a store, the face takes the three steps one by one.
    """
    not_inlined()
    is_open_in = load(s, HAS_OPEN) == 1 and low <= load(s, OPEN_TIME) < high
    return fold_between(s, find(s, low), find(s, high), is_open_in)[1]


@inner
def lift_batch(s, times, source, first, end):
    """Make nodes of some rows, behind the open entry if there is one, and combine those of equal times: their number.
    They begin at scratch node BATCH, or one behind it if nothing is open. Rows: at most BATCH_NODES."""
    not_inlined()
    node_bytes, last = load(s, NODE_BYTES), scratch_node(s, BATCH)
    new = last + node_bytes
    lift_each(load(s, PLAN), new + 8, node_bytes, source, first, end)
    count = load(s, HAS_OPEN)
    if count:
        copy_node(s, last, scratch_node(s, OPEN))
    for row in range(first, end):
        store(new, 0, load(times, row))
        if count > 0 and load(last, 0) == load(new, 0):
            merge(load(s, PLAN), last + 8, last + 8, new + 8)
        else:
            last += node_bytes
            count += 1
            if last != new:
                copy_node(s, last, new)
        new += node_bytes
    return count


@inner
def batch_rows(s, first, end):
    """How many rows go into one batch: with a store no more than a page, which has room once full pages are gone."""
    page_nodes = load(s, PAGE_NODES)
    return min(end - first, BATCH_NODES if page_nodes == 0 else min(BATCH_NODES, page_nodes))


@inner
def open_entry(s, entry):
    """Make a node the open entry."""
    copy_node(s, scratch_node(s, OPEN), entry)
    store(s, OPEN_TIME, load(entry, 0))
    store(s, HAS_OPEN, 1)


def _named(kernel: str, function):
    """Compiled, under a name of its kernel's own. Numba's cache links by name: of two functions of one name, cached by
    two processes, a third would run one in place of the other."""
    function.__qualname__ = f"{kernel}.{function.__name__}"
    return inner(function)


def make_operations(kernel: str, push, cut, total) -> Operations:
    """kernel: its name, which goes into the names of the compiled functions;
    push(s, nodes, count) → status: the nodes at the address `nodes` become updates END, END + 1, … of the tree;
    cut(s, position): the updates before `position` go, all head pages being here; total(s, into): into = the aggregate
    of the tree, without the open entry."""
    named = functools.partial(_named, kernel)

    @named
    def put(s, time, state):
        if load(s, HAS_OPEN):
            if time < load(s, OPEN_TIME):
                return OUT_OF_ORDER
            if time == load(s, OPEN_TIME):
                merge(load(s, PLAN), scratch(s, OPEN), scratch(s, OPEN), state)
                return DONE
            status = push(s, scratch_node(s, OPEN), 1)
            if status != DONE:
                return status
        store(s, OPEN_TIME, time)
        store(s, HAS_OPEN, 1)
        store(scratch_node(s, OPEN), 0, time)
        copy_state(s, scratch(s, OPEN), state)
        return DONE

    @named
    def put_rows(s, times, source, first, end):
        not_inlined()
        row, node_bytes = first, load(s, NODE_BYTES)
        if load(s, HAS_OPEN) and row < end and load(times, row) < load(s, OPEN_TIME):
            return OUT_OF_ORDER, row
        while row < end:
            rows = batch_rows(s, row, end)
            nodes = scratch_node(s, BATCH) + (0 if load(s, HAS_OPEN) else node_bytes)
            count = lift_batch(s, times, source, row, row + rows)
            status = push(s, nodes, count - 1) if count > 1 else DONE
            if status != DONE:
                return status, row
            open_entry(s, nodes + (count - 1) * node_bytes)
            row += rows
        return DONE, row

    @named
    def reset(s):
        store(s, HAS_OPEN, 0)
        cut(s, load(s, END))

    @named
    def drop_before(s, position):
        if position <= load(s, FIRST):
            return DONE
        if not heads_here(s, position):
            return MISSING
        cut(s, position)
        return DONE

    @named
    def drop_until(s, time):
        not_inlined()
        if load(s, HAS_OPEN) == 0 or time < oldest(s):
            return DONE
        if load(s, OPEN_TIME) <= time:
            reset(s)
            return DONE
        position = find(s, time + 1)
        return MISSING if position < 0 else drop_before(s, position)

    @named
    def drop_oldest(s, time):
        not_inlined()
        if is_empty(s):
            return NOTHING
        if oldest(s) != time:
            return status_of(s, time)
        if load(s, FIRST) == load(s, END):
            reset(s)
            return DONE
        return drop_before(s, load(s, FIRST) + 1)

    @named
    def drop_searched(s):
        not_inlined()
        if load(s, POSITION) > load(s, END):
            reset(s)
            return DONE
        return drop_before(s, load(s, POSITION))

    @named
    def query(s):
        not_inlined()
        result = scratch(s, RESULT)
        total(s, result)
        if load(s, HAS_OPEN):
            merge(load(s, PLAN), result, result, scratch(s, OPEN))
        return result

    @named
    def insert(s, time, state):
        return put(s, time, state) == DONE

    @named
    def insert_burst(s, times, source, rows):
        return put_rows(s, times, source, 0, rows)[0] == DONE

    @named
    def bulk_evict(s, time):
        drop_until(s, time)

    @named
    def evict(s, time):
        return drop_oldest(s, time) == DONE

    return Operations(put, put_rows, drop_until, drop_oldest, drop_searched, reset, query, insert, insert_burst,
                      bulk_evict, evict)

