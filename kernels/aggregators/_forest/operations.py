"""The operations of both monoid trees, made from what differs between them: how updates come in, how they go, and
where the aggregate of all is."""

import functools

from kernels.aggregators._dispatch import DONE, NOTHING, OUT_OF_ORDER
from kernels.aggregators._forest.entries import oldest, status_of
from kernels.aggregators._forest.layout import BATCH_NODES, MISSING, Forest, ForestNode
from kernels.aggregators._forest.nodes import copy_node, copy_state, nth
from kernels.aggregators._forest.paging import heads_here
from kernels.aggregators._forest.search import find
from kernels.runtime.addresses import named_inner
from kernels.runtime.fields import Times
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.struct import words_at
from kernels.states import lift_each, merge
from kernels.states.layout import Events


def insertion(kernel: str, push) -> dict:
    """push(forest, nodes, count) → status: `count` nodes from `nodes` on become the next updates of the tree."""

    def insert(forest: Forest, time, state, row):
        if forest.has_open and time <= forest.open.time:
            return _extend_open(forest, time, state)
        status = push(forest, forest.open, 1) if forest.has_open else DONE
        if status == DONE:
            _open(forest, time, words_at(state))
        return status

    return {"insert": named_inner(kernel, insert)} | _burst_insertion(kernel, push)


def _burst_insertion(kernel: str, push) -> dict:
    named = functools.partial(named_inner, kernel)

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
            if status == DONE:
                _open_node(forest, nth(forest, nodes.address, count - 1), next_row)
        return status

    @named
    def insert_burst(forest: Forest, times: Times, events: Events, rows):
        return put_rows(forest, times, events, 0, rows)

    @named
    def insert_rows(forest: Forest, events: Events, first, end):
        return put_rows(forest, events.times, events, first, end)

    return {"insert_burst": insert_burst, "insert_rows": insert_rows}


@inner
def _extend_open(forest, time, state):
    """Combine a state into the open entry, if it is of that time."""
    if time < forest.open.time:
        return OUT_OF_ORDER
    merge(forest.plan, forest.open.state, forest.open.state, words_at(state))
    return DONE


@inner
def _open(forest, time, state):
    forest.has_open, forest.open.time = True, time
    copy_state(forest, forest.open.state, state)


@inner
def _open_node(forest, youngest, next_row):
    """The youngest of a batch is the open entry."""
    copy_node(forest, forest.open, youngest)
    forest.has_open, forest.next_row = True, next_row


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
            last = ForestNode(last.address + node_bytes)
            count += 1
            if last.address != new.address:
                copy_node(forest, last, new)
        new = ForestNode(new.address + node_bytes)
    return count


def eviction(kernel: str, cut) -> dict:
    """cut(forest, place): the updates before a place go, all head pages being here."""
    named = functools.partial(named_inner, kernel)

    @named
    def drop_before(forest, place):
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
    def evict_before(forest: Forest, place):
        not_inlined()
        return drop_before(forest, place)

    @named
    def reset(forest: Forest):
        drop_before(forest, forest.end + 1)

    return {"evict_before": evict_before, "reset": reset} | _time_eviction(kernel, drop_before)


def _time_eviction(kernel: str, drop_before) -> dict:
    def bulk_evict(forest: Forest, time):
        not_inlined()
        if not forest.has_open or time < oldest(forest):
            return DONE
        place = forest.end + 1 if forest.open.time <= time else find(forest, time + 1)
        return MISSING if place < 0 else drop_before(forest, place)

    def evict(forest: Forest, time):
        not_inlined()
        if not forest.has_open:
            return NOTHING
        return drop_before(forest, forest.first + 1) if oldest(forest) == time else status_of(forest, time)

    return {"bulk_evict": named_inner(kernel, bulk_evict), "evict": named_inner(kernel, evict)}


def reading(kernel: str, total) -> dict:
    """total(forest, into): into = the aggregate of the tree, without the open entry."""

    def query(forest: Forest):
        not_inlined()
        result = forest.result.state
        total(forest, result)
        if forest.has_open:
            merge(forest.plan, result, result, forest.open.state)
        return result.address

    return {"query": named_inner(kernel, query)}
