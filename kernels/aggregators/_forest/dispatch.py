"""The tables of operations of both monoid trees.

What may need a page of the store answers MISSING, and FULL where full pages must go to it first; both without having
changed anything. In memory neither happens, and a caller need not look. What the trees share reads; with a store, only
the object asks for it, which fetches pages that are missing.
"""

from kernels.aggregators._dispatch import FOREVER, PointKernel
from kernels.aggregators._forest import nodes
from kernels.aggregators._forest.entries import fold_times, oldest, open_is_in
from kernels.aggregators._forest.layout import Forest, ForestNode
from kernels.aggregators._forest.search import find
from kernels.runtime.memory import inner
from kernels.runtime.tables import Operation, compiled_table
from kernels.states import merge
from kernels.states.layout import StatePlan


class ForestKernel(PointKernel):
    """insert_rows(s, events, first, end) → status: those rows at their own times
    evict_before(s, place) → status: the updates before a place, behind the last one the open entry too
    """

    insert_rows: Operation()
    evict_before: Operation()


def forest_kernel(kernel: str, has_heads: bool, changes: dict) -> ForestKernel:
    """The table of a kernel of that name: its own operations, and those that both share."""
    create = _create_with_heads if has_heads else _create
    return compiled_table(ForestKernel, kernel, SHARED | {"create": create} | changes)


@inner
def _create(plan: StatePlan, page_nodes, unused):
    return nodes.create_forest(plan, page_nodes, False).address


@inner
def _create_with_heads(plan: StatePlan, page_nodes, unused):
    return nodes.create_forest(plan, page_nodes, True).address


@inner
def _destroy(forest: Forest):
    nodes.destroy(forest)


@inner
def _range_query(forest: Forest, low, high):
    return fold_times(forest, low, high)


@inner
def _append_range(forest: Forest, low, high, into):
    merge(forest.plan, into, into, fold_times(forest, low, high))


@inner
def _oldest(forest: Forest):
    return oldest(forest) if forest.has_open else FOREVER


@inner
def _youngest(forest: Forest):
    return forest.open.time if forest.has_open else -FOREVER


@inner
def _first_from(forest: Forest, time):
    place = find(forest, time)
    if place < forest.end:
        return nodes.node(forest, 0, place, 0).time
    return forest.open.time if open_is_in(forest, time, FOREVER) else FOREVER


@inner
def _is_empty(forest: Forest):
    return not forest.has_open


@inner
def _count(forest: Forest):
    return forest.end - forest.first + (1 if forest.has_open else 0)


@inner
def _count_between(forest: Forest, low, high):
    return max(0, find(forest, high) - find(forest, low)) + (1 if open_is_in(forest, low, high) else 0)


@inner
def _copy_entries(forest: Forest, low, high, target):
    """A leaf is (time, own state), which is just what is asked for."""
    for place in range(find(forest, low), find(forest, high)):
        nodes.copy_node(forest, ForestNode(target), nodes.node(forest, 0, place, 0))
        target += forest.node_bytes
    if open_is_in(forest, low, high):
        nodes.copy_node(forest, ForestNode(target), forest.open)


SHARED = {
    "destroy": _destroy,
    "range_query": _range_query,
    "append_range": _append_range,
    "oldest": _oldest,
    "youngest": _youngest,
    "first_from": _first_from,
    "is_empty": _is_empty,
    "count": _count,
    "count_between": _count_between,
    "copy_entries": _copy_entries,
}
