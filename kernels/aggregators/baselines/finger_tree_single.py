"""The finger B-tree without bulk operations: the baseline of FIBA §7 (nb_fiba), a loop of single ones.

The tree and its answers are those of finger_tree. A burst is inserted event by event, each at its own place; a bulk
eviction evicts the oldest entry again and again.
"""

from functools import cache

from windrow.kernels.aggregators._dispatch import DONE, PointKernel
from windrow.kernels.aggregators._window import Card
from windrow.kernels.aggregators.finger_tree import FingerTree
from windrow.kernels.aggregators.finger_tree.bulk import insert_sorted
from windrow.kernels.aggregators.finger_tree.evict import evict
from windrow.kernels.aggregators.finger_tree.layout import Tree, is_empty, mark_query_dirty, oldest
from windrow.kernels.runtime.fields import Times
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.states import lift_each


@inner
def insert_burst(tree: Tree, times: Times, source, rows):
    """Insert events one by one, each from the right finger to its own place. O(m log d) for m events; DONE."""
    not_inlined()
    for row in range(rows):
        lift_each(tree.plan, tree.lifted, tree.state_bytes, source, row, row + 1)
        insert_sorted(tree, times[row:], tree.lifted, 1)
        mark_query_dirty(tree)
    return DONE


@inner
def bulk_evict(tree: Tree, time):
    """Remove all entries with times ≤ `time`, the oldest again and again. O(m) amortised."""
    not_inlined()
    while not is_empty(tree) and oldest(tree) <= time:
        evict(tree, oldest(tree))


class FingerTreeSingle(FingerTree):
    """Any order. insert O(log d), bulk_insert O(m log d), evict O(1) for the oldest entry and O(log n) for others,
    bulk_evict O(m), query O(1) if nothing changed, range_query and first_where O(log n). Options and memory are those
    of finger_tree."""

    CARD = Card("any", "O(log d)", "O(m log d)", "O(1)", "O(m)", "O(1)", "O(log n)", "FIBA §7, baseline")
    OPERATIONS = (insert_burst, bulk_evict)

    @classmethod
    @cache
    def dispatch(cls) -> PointKernel:
        """All others are the compiled functions of the finger tree."""
        own, shared = super().dispatch(), FingerTree.dispatch()
        return PointKernel.make(**{name: getattr(own, name) or getattr(shared, name) for name in PointKernel.fields})


KERNEL = FingerTreeSingle
