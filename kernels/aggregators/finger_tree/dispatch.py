"""The finger tree's table of operations, for its object and for the replay; with and without bulk operations."""

import functools

from kernels.aggregators._dispatch import DONE, FOREVER, NOTHING, PointKernel
from kernels.aggregators.finger_tree import (
    bulk,
    create,
    evict,
    evict_one,
    insert,
    pending,
    query,
    scan,
    search,
    single,
)
from kernels.aggregators.finger_tree import first_where as prefix_search
from kernels.aggregators.finger_tree.layout import Tree
from kernels.runtime.fields import Times
from kernels.runtime.memory import inner
from kernels.runtime.tables import Operation, compiled_table


class FingerTreeKernel(PointKernel):
    """insert_each, evict_each: what stands at insert_burst and bulk_evict for a tree without bulk operations."""

    insert_each: Operation()
    evict_each: Operation()


@inner
def _insert(tree: Tree, time, state, row):
    insert.insert(tree, time, state)
    return DONE


@inner
def _insert_burst(tree: Tree, times: Times, events, rows):
    insert.insert_burst(tree, times, events, rows)
    return DONE


@inner
def _evict(tree: Tree, time):
    return DONE if evict_one.evict(tree, time) else NOTHING


@inner
def _bulk_evict(tree: Tree, time):
    evict.bulk_evict(tree, time)
    return DONE


@inner
def _oldest(tree: Tree):
    return FOREVER if search.is_empty(tree) else scan.oldest(tree)


@inner
def _youngest(tree: Tree):
    return -FOREVER if search.is_empty(tree) else search.youngest(tree)


@inner
def _first_from(tree: Tree, time):
    found, first = scan.first_from(tree, time)
    return first if found else FOREVER


FUNCTIONS = {
    "create": create.create,
    "destroy": create.destroy,
    "reset": create.reset,
    "insert": _insert,
    "insert_burst": _insert_burst,
    "insert_each": single.insert_each,
    "insert_sorted": bulk.insert_sorted,
    "stage": pending.stage,
    "evict": _evict,
    "bulk_evict": _bulk_evict,
    "evict_each": single.evict_each,
    "query": query.query,
    "range_query": query.range_query,
    "append_range": query.append_range,
    "first_where": prefix_search.first_where,
    "oldest": _oldest,
    "youngest": _youngest,
    "first_from": _first_from,
    "is_empty": search.is_empty,
    "count": scan.count_entries,
    "count_between": scan.count_between,
    "copy_entries": scan.copy_entries,
}


@functools.cache
def dispatch() -> FingerTreeKernel:
    """The table, compiled or loaded when it is first asked for."""
    return compiled_table(FingerTreeKernel, "finger_tree", FUNCTIONS)


@functools.cache
def single_dispatch() -> PointKernel:
    """The same compiled functions, for trees without bulk operations."""
    table = dispatch()
    operations = {name: getattr(table, name) for name in PointKernel.fields}
    return PointKernel.make(**operations | {"insert_burst": table.insert_each, "bulk_evict": table.evict_each})
