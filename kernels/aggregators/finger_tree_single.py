"""The finger B-tree without bulk operations: the baseline of FIBA §7 (nb_fiba), a loop of single ones.

The tree is that of finger_tree, made with bulk=False, with the same answers by the same compiled functions. A burst
goes in event by event, each to its own place; a bulk eviction takes the oldest entry again and again.
"""

from kernels.aggregators._window import Card
from kernels.aggregators.finger_tree import FingerTree
from kernels.aggregators.finger_tree.dispatch import single_dispatch


class FingerTreeSingle(FingerTree):
    """Any order; insert O(log d), bulk_insert O(m log d), evict O(1) of the oldest and O(log n) elsewhere, bulk_evict
    O(m), query O(1) where nothing changed, range_query and first_where O(log n). Options and memory as finger_tree."""

    OPTIONS = ("min_arity", "deferred_free")
    CARD = Card("any", "O(log d)", "O(m log d)", "O(1)", "O(m)", "O(1)", "O(log n)", "FIBA §7, baseline")
    dispatch = staticmethod(single_dispatch)


KERNEL = FingerTreeSingle
