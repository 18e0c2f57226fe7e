"""The operations of both monoid trees, made from what differs between them: how updates come in, how they go, and
where the aggregate of all is.

What may need a page of the store answers MISSING, and FULL where full pages must go to it first; both without having
changed anything. In memory neither happens, and a caller need not look. Of what reads, with a store, only the object
asks, which fetches pages that are missing.
"""

import functools
from collections.abc import Callable

from windrow.kernels.aggregators._dispatch import DONE, FOREVER, NOT_OLDEST, NOTHING, OUT_OF_ORDER, Entry, PointKernel
from windrow.kernels.aggregators.baselines._forest import (
    BATCH_NODES,
    MISSING,
    Forest,
    append_node,
    copy_node,
    copy_state,
    create_forest,
    destroy,
    heads_here,
    node,
    nth,
)
from windrow.kernels.aggregators.baselines._forest.search import find, open_is_in, range_query
from windrow.kernels.runtime.addresses import named_inner
from windrow.kernels.runtime.fields import Address, Place, Times
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import words_at
from windrow.kernels.states import lift_each, merge
from windrow.kernels.states.layout import Events, StatePlan


class ForestKernel(PointKernel):
    """insert_rows(s, events, first, end) → status: those rows at their own times
    evict_before(s, place) → status: the updates before a place, behind the last one the open entry too
    """

    insert_rows: Operation(Address, Address, Place, Place)
    evict_before: Operation(Address, Place)


def forest_operations(kernel: str, push, cut, total, has_heads: bool) -> tuple[Callable, ...]:
    """Of a kernel of that name.

    push(forest, nodes, count) → status: `count` nodes from `nodes` on become the next updates of the tree
    cut(forest, place): the updates before a place go, all head pages being here
    total(forest, into): into = the aggregate of the tree, without the open entry
    has_heads: whether the tree keeps the head of each level
    """
    named = functools.partial(named_inner, kernel)

    @named
    def create(plan: StatePlan, page_nodes, unused):
        return create_forest(plan, page_nodes, has_heads).address

    @named
    def query(forest: Forest):
        not_inlined()
        result = forest.result.state
        total(forest, result)
        if forest.has_open:
            merge(forest.plan, result, result, forest.open.state)
        return result.address

    return (*SHARED, create, query, *_insertion(named, push), *_eviction(named, cut))


def _insertion(named, push) -> tuple:
    @named
    def insert(forest: Forest, time, state, row):
        opened = forest.open
        if forest.has_open and time <= opened.time:
            if time < opened.time:
                return OUT_OF_ORDER
            merge(forest.plan, opened.state, opened.state, words_at(state))
            return DONE
        status = push(forest, opened, 1) if forest.has_open else DONE
        if status == DONE:
            forest.has_open, opened.time = True, time
            copy_state(forest, opened.state, words_at(state))
        return status

    @named
    def put_rows(forest, times, events, first, end):
        not_inlined()
        forest.next_row = first
        if forest.has_open and first < end and times[first] < forest.open.time:
            return OUT_OF_ORDER
        status = DONE
        while forest.next_row < end and status == DONE:
            nodes = nth(forest, forest.batch, 0 if forest.has_open else 1)
            next_row = forest.next_row + _batch_rows(forest, end)
            count = _lift_batch(forest, times, events, forest.next_row, next_row)
            status = push(forest, nodes, count - 1) if count > 1 else DONE
            if status == DONE:  # the youngest of a batch is the open entry
                copy_node(forest, forest.open, nth(forest, nodes.address, count - 1))
                forest.has_open, forest.next_row = True, next_row
        return status

    @named
    def insert_burst(forest: Forest, times: Times, events: Events, rows):
        return put_rows(forest, times, events, 0, rows)

    @named
    def insert_rows(forest: Forest, events: Events, first, end):
        return put_rows(forest, events.times, events, first, end)

    return insert, insert_burst, insert_rows


@inner
def make_parent(forest, parent, older, newer):
    parent.time = newer.time
    merge(forest.plan, parent.state, older.state, newer.state)


@inner
def append_updates(forest, nodes, count):
    first, update, node_bytes = forest.end, nodes.address, forest.node_bytes
    for index in range(first, first + count):
        copy_node(forest, append_node(forest, 0, index), Entry(update))
        update += node_bytes
    forest.end = first + count


@inner
def append_parents(forest, height, first, end):
    """Make the nodes [first, end) of a level; an evicted left child is left out, and so are nodes without children.
    O(end - first)."""
    not_inlined()
    oldest = forest.first >> (height - 1)
    for index in range(max(first, oldest >> 1), end):
        parent = append_node(forest, height, index)
        newer = node(forest, height - 1, 2 * index + 1)
        if 2 * index >= oldest:
            make_parent(forest, parent, node(forest, height - 1, 2 * index), newer)
        else:
            copy_node(forest, parent, newer)


@inner
def _batch_rows(forest, end):
    """How many rows go into one batch: with a store no more than a page, which has room once full pages are gone."""
    most = BATCH_NODES if forest.page_nodes == 0 else min(BATCH_NODES, forest.page_nodes)
    return min(end - forest.next_row, most)


@inner
def _lift_batch(forest, times, events, first, end):
    """Make nodes of some rows, behind the open entry if there is one, and combine those of equal times: their number.
    They begin at the batch's first node, or one behind it if nothing is open. Rows: at most BATCH_NODES."""
    not_inlined()
    plan, node_bytes = forest.plan, forest.node_bytes
    last, new = nth(forest, forest.batch, 0), nth(forest, forest.batch, 1)
    lift_each(plan, new.state, node_bytes, events, first, end)
    count = 1 if forest.has_open else 0
    if count:
        copy_node(forest, last, forest.open)
    for row in range(first, end):
        new.time = times[row]
        if count > 0 and last.time == new.time:
            merge(plan, last.state, last.state, new.state)
        else:
            last = Entry(last.address + node_bytes)
            count += 1
            if last.address != new.address:
                copy_node(forest, last, new)
        new = Entry(new.address + node_bytes)
    return count


def _eviction(named, cut) -> tuple:
    @named
    def evict_before(forest: Forest, place):
        if place <= forest.first:
            return DONE
        if place > forest.end:
            forest.has_open = False
            cut(forest, forest.end)
            return DONE
        if not heads_here(forest, place):
            return MISSING
        cut(forest, place)
        return DONE

    @named
    def reset(forest: Forest):
        evict_before(forest, forest.end + 1)

    @named
    def bulk_evict(forest: Forest, time):
        not_inlined()
        if not forest.has_open or time < oldest(forest):
            return DONE
        place = forest.end + 1 if forest.open.time <= time else find(forest, time + 1)
        return MISSING if place < 0 else evict_before(forest, place)

    @named
    def evict(forest: Forest, time):
        not_inlined()
        if forest.has_open and oldest(forest) == time:
            return evict_before(forest, forest.first + 1)
        return _status_of(forest, time)

    return evict_before, reset, bulk_evict, evict


@inner
def _status_of(forest, time):
    """NOT_OLDEST if an entry is at `time`, NOTHING if none is; MISSING."""
    not_inlined()
    if not forest.has_open:
        return NOTHING
    place = find(forest, time)
    if place == forest.end:
        return NOT_OLDEST if forest.open.time == time else NOTHING
    if place < 0:
        return MISSING
    found = node(forest, 0, place)
    if found.address == 0:
        return MISSING
    return NOT_OLDEST if found.time == time else NOTHING


@inner
def append_range(forest: Forest, low, high, into):
    merge(forest.plan, into, into, range_query(forest, low, high))


@inner
def oldest(forest: Forest):
    if not forest.has_open:
        return FOREVER
    return forest.first_time if forest.first < forest.end else forest.open.time


@inner
def youngest(forest: Forest):
    return forest.open.time if forest.has_open else -FOREVER


@inner
def first_from(forest: Forest, time):
    place = find(forest, time)
    if place < forest.end:
        return node(forest, 0, place).time
    return forest.open.time if open_is_in(forest, time, FOREVER) else FOREVER


@inner
def is_empty(forest: Forest):
    return not forest.has_open


@inner
def count(forest: Forest):
    return forest.end - forest.first + (1 if forest.has_open else 0)


@inner
def count_between(forest: Forest, low, high):
    return max(0, find(forest, high) - find(forest, low)) + (1 if open_is_in(forest, low, high) else 0)


@inner
def copy_entries(forest: Forest, low, high, target):
    """A leaf is (time, own state), which is just what is asked for."""
    for place in range(find(forest, low), find(forest, high)):
        copy_node(forest, Entry(target), node(forest, 0, place))
        target += forest.node_bytes
    if open_is_in(forest, low, high):
        copy_node(forest, Entry(target), forest.open)


SHARED = (
    *(destroy, append_range, range_query, oldest, youngest, first_from, is_empty, count, count_between, copy_entries),
)
