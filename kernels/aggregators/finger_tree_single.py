"""The finger B-tree without bulk operations: the baseline of FIBA §7 (nb_fiba), a loop of single ones.

The tree is that of finger_tree, with the same answers. A burst goes in event by event, each to its own place; a bulk
eviction takes the oldest entry again and again.
"""

from kernels.aggregators import _doors
from kernels.aggregators._card import Card
from kernels.aggregators.finger_tree import FingerTree
from kernels.aggregators.finger_tree.bulk import insert_sorted
from kernels.aggregators.finger_tree.door import finger_tree_door
from kernels.aggregators.finger_tree.evict_one import evict
from kernels.aggregators.finger_tree.layout import PLAN, STATE_BYTES, lifted_states, soil_query
from kernels.aggregators.finger_tree.scan import oldest
from kernels.aggregators.finger_tree.search import is_empty
from kernels.memory import inner, load, not_inlined
from kernels.native import door_of
from kernels.states import lift_each

_other = inner(finger_tree_door)


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


def finger_tree_single_door(tree, operation, first, second, third):
    """The operations of _doors.py."""
    if operation == _doors.INSERT_BURST:
        insert_burst(tree, first, second, third)
        return _doors.DONE
    if operation == _doors.BULK_EVICT:
        bulk_evict(tree, first)
        return _doors.DONE
    return _other(tree, operation, first, second, third)


door = door_of(finger_tree_single_door)


class FingerTreeSingle(FingerTree):
    """Any order; insert O(log d), bulk_insert O(m log d), evict O(log n), bulk_evict O(m log n), query O(1) where
    nothing changed, range_query O(log n). Options and memory as finger_tree."""

    CARD = Card("any", "O(log d)", "O(m log d)", "O(log n)", "O(m log n)", "O(1)", "O(log n)", "FIBA §7, baseline")
    door = staticmethod(door)


KERNEL = FingerTreeSingle
