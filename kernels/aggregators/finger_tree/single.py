"""The tree without bulk operations, the baseline of FIBA §7 (nb_fiba): bursts as loops of single ones."""

from kernels.aggregators._dispatch import DONE
from kernels.aggregators.finger_tree.bulk import insert_sorted
from kernels.aggregators.finger_tree.evict_one import evict
from kernels.aggregators.finger_tree.layout import Tree, mark_query_dirty
from kernels.aggregators.finger_tree.scan import oldest
from kernels.aggregators.finger_tree.search import is_empty
from kernels.runtime.fields import Times
from kernels.runtime.memory import inner, not_inlined
from kernels.states import lift_each


@inner
def insert_each(tree: Tree, times: Times, source, rows):
    """Insert events one by one, each from the right finger to its own place. O(m log d) for m events."""
    not_inlined()
    for row in range(rows):
        lift_each(tree.plan, tree.lifted, tree.state_bytes, source, row, row + 1)
        insert_sorted(tree, times[row:], tree.lifted, 1)
        mark_query_dirty(tree)
    return DONE


@inner
def evict_each(tree: Tree, time):
    """Remove all entries with times ≤ `time`, the oldest again and again. O(m) amortised."""
    not_inlined()
    while not is_empty(tree) and oldest(tree) <= time:
        evict(tree, oldest(tree))
    return DONE
