"""The operations of both monoid trees, made from what differs between them.

What may need a page of the store answers MISSING, and FULL where full pages must go to it first; both without having
changed anything. In memory neither happens, and a caller need not look.
"""

import functools

from kernels.aggregators import _doors
from kernels.aggregators._doors import DONE, NOTHING, OUT_OF_ORDER
from kernels.aggregators._forest.entries import is_empty, of_any_forest, oldest, status_of
from kernels.aggregators._forest.layout import copy_node, copy_state, scratch, scratch_node
from kernels.aggregators._forest.paging import heads_here
from kernels.aggregators._forest.search import find
from kernels.aggregators._forest.words import (
    BATCH,
    BATCH_NODES,
    END,
    EVICT_SEARCHED,
    FIRST,
    HAS_OPEN,
    INSERT_ROWS,
    MISSING,
    NEXT_ROW,
    NODE_BYTES,
    OPEN,
    OPEN_TIME,
    PAGE_NODES,
    PLAN,
    POSITION,
    RESULT,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.native import named_inner
from kernels.operation_sources import TIMES
from kernels.states import lift_each, merge


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


def make_answer(kernel: str, create, push, cut, total):
    """The compiled function behind a kernel's door.

    kernel: its name, which goes into the names of the compiled functions; create(plan, page_nodes) → address;
    push(s, nodes, count) → status: the nodes at the address `nodes` become updates END, END + 1, … of the tree;
    cut(s, position): the updates before `position` go, all head pages being here; total(s, into): into = the aggregate
    of the tree, without the open entry."""
    named = functools.partial(named_inner, kernel)

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
        store(s, NEXT_ROW, first)
        if load(s, HAS_OPEN) and row < end and load(times, row) < load(s, OPEN_TIME):
            return OUT_OF_ORDER
        while row < end:
            rows = batch_rows(s, row, end)
            nodes = scratch_node(s, BATCH) + (0 if load(s, HAS_OPEN) else node_bytes)
            count = lift_batch(s, times, source, row, row + rows)
            status = push(s, nodes, count - 1) if count > 1 else DONE
            if status != DONE:
                return status
            open_entry(s, nodes + (count - 1) * node_bytes)
            row += rows
            store(s, NEXT_ROW, row)
        return DONE

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
    def answer(s, operation, first, second, third):
        if operation == _doors.INSERT:
            return put(s, first, second)
        if operation == _doors.QUERY:
            return query(s)
        if operation == _doors.INSERT_BURST:
            return put_rows(s, first, second, 0, third)
        if operation == INSERT_ROWS:
            return put_rows(s, load(first, TIMES), first, second, third)
        if operation == _doors.BULK_EVICT:
            return drop_until(s, first)
        if operation == _doors.EVICT:
            return drop_oldest(s, first)
        if operation == EVICT_SEARCHED:
            return drop_searched(s)
        if operation == _doors.CREATE:
            return create(first, second)
        if operation == _doors.RESET:
            reset(s)
            return DONE
        return of_any_forest(s, operation, first, second, third)

    return answer
