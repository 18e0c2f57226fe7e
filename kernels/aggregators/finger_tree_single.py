"""The finger B-tree without bulk operations: the baseline of FIBA §7 (nb_fiba), a loop of single ones.

The tree is that of finger_tree, with the same answers. A burst goes in event by event, each to its own place; a bulk
eviction takes the oldest entry again and again.
"""

from kernels.aggregators._window import (
    BULK_EVICT,
    DONE,
    EVICT,
    INSERT,
    NOTHING,
    OLDEST,
    YOUNGEST,
)
from kernels.aggregators.finger_tree import FingerTree
from kernels.aggregators.finger_tree.bulk import insert_sorted
from kernels.aggregators.finger_tree.evict_one import evict
from kernels.aggregators.finger_tree.layout import PLAN, STATE_BYTES, lifted_states, soil_query
from kernels.aggregators.finger_tree.nodes import create, reset
from kernels.aggregators.finger_tree.query import query, range_query
from kernels.aggregators.finger_tree.scan import count_entries, oldest
from kernels.aggregators.finger_tree.search import is_empty, youngest
from kernels.memory import entry, inner, load, not_inlined
from kernels.operation_sources import TIMES
from kernels.states import lift_each

__all__ = ["KERNEL", "bulk_evict", "create", "evict", "insert_burst", "is_empty", "oldest", "query", "range_query",
           "reset", "youngest"]


@inner
def insert_burst(tree, times, source, rows):
    """Insert events one by one; row i of `source` at times[i]. O(m log d) for m events."""
    not_inlined()
    for row in range(rows):
        lift_each(load(tree, PLAN), lifted_states(tree), load(tree, STATE_BYTES), source, row, row + 1)
        insert_sorted(tree, times + 8 * row, lifted_states(tree), 1)
        soil_query(tree)


@inner
def bulk_evict(tree, time):
    """Remove all entries with times ≤ `time`, one by one. O(m log n)."""
    not_inlined()
    while not is_empty(tree) and oldest(tree) <= time:
        evict(tree, oldest(tree))


@entry
def _change(tree, operation, time, source, rows):
    if operation == INSERT:
        insert_burst(tree, load(source, TIMES), source, rows)
    elif operation == EVICT:
        return (DONE if evict(tree, time) else NOTHING), 0
    elif operation == BULK_EVICT:
        bulk_evict(tree, time)
    elif is_empty(tree):
        return NOTHING, 0
    elif operation == OLDEST:
        return DONE, oldest(tree)
    elif operation == YOUNGEST:
        return DONE, youngest(tree)
    else:
        return DONE, count_entries(tree)
    return DONE, 0


class FingerTreeSingle(FingerTree):
    """Any order; insert O(log d), bulk_insert O(m log d), evict O(log n), bulk_evict O(m log n), query O(1) where
    nothing changed, range_query O(log n). Options and memory as finger_tree."""

    _change = staticmethod(_change)


KERNEL = FingerTreeSingle
