"""The finger tree's table of operations, for its object and for the replay; with and without bulk operations."""

import functools

from kernels.aggregators._dispatch import FOREVER, PointKernel
from kernels.aggregators.finger_tree import bulk, evict, insert, nodes, path, query
from kernels.aggregators.finger_tree.first_where import first_where
from kernels.aggregators.finger_tree.layout import Tree
from kernels.runtime.fields import Address, Count, Microseconds, Times
from kernels.runtime.memory import inner
from kernels.runtime.operations import Operation
from kernels.runtime.tables import by_name, compiled_table


class FingerTreeKernel(PointKernel):
    """insert_each, evict_each: what stands at insert_burst and bulk_evict for a tree without bulk operations, the
    baseline of FIBA §7 (nb_fiba)."""

    insert_each: Operation(Address, Times, Address, Count)
    evict_each: Operation(Address, Microseconds)


@inner
def oldest(tree: Tree):
    return FOREVER if path.is_empty(tree) else path.oldest(tree)


@inner
def youngest(tree: Tree):
    return -FOREVER if path.is_empty(tree) else path.youngest(tree)


FUNCTIONS = by_name(
    *(nodes.create, nodes.destroy, nodes.reset),
    *(insert.insert, insert.insert_burst, insert.insert_each, bulk.insert_sorted, insert.stage),
    *(evict.evict, evict.bulk_evict, evict.evict_each),
    *(query.query, query.range_query, query.append_range, first_where),
    *(oldest, youngest, query.first_from, path.is_empty),
    *(query.count, query.count_between, query.copy_entries),
)


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
