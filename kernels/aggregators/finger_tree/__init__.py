"""The finger B-tree (FiBA) as one window: entries at any time in, aggregates of all or of any range out.

An example with minimum arity 2 (at most 4 children in an inner node), times 1 to 14 inserted in order, sum. Leaves are
drawn with 4 entries; real ones hold 16:

                     [ ·  5·  9·  13 ]             the root knows 5-8 and 9-12; 1-4 and 13-14 lie on the spines
                    /     |     |      \\
          [1 2 3 4]  [5 6 7 8] [9 … 12] [13 14]    leaves are full on in-order growth
            left finger                  right finger

    query() = (1+2+3+4) + (5…14): the left leaf's suffix ⊗ the young part, both kept.
    insert(15) goes into the right leaf and the young part; insert(6), which is late, waits with other late entries
    until its place is asked for; bulk_evict(5) frees the first leaf, drops 5 and makes the second the left finger.

Source: FIBA (Tangwongsan, Hirzel, Schneider, VLDB 2023) §3-5, as a B+ tree: values only in leaves,
aggregates of children in their parent, so that making a node's aggregate again is one scan over neighbouring words.
"""

from collections.abc import Callable, Mapping

import numpy as np

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.aggregators._window import Card, PointWindow
from windrow.kernels.aggregators.finger_tree import bulk, evict, insert, layout, nodes, query
from windrow.kernels.aggregators.finger_tree.check import check_tree
from windrow.kernels.aggregators.finger_tree.first_where import first_where
from windrow.kernels.aggregators.finger_tree.layout import Tree
from windrow.kernels.objects.predicates import Predicate
from windrow.kernels.runtime.memory import address_of, inner
from windrow.kernels.runtime.one_at_a_time import in_turn
from windrow.kernels.states.state_plan import Plan
from windrow.schemas.errors import WrongParameter

USUAL_ARITY = 8
LEAST_ARITY, MOST_ARITY = 2, 1024


@inner
def youngest(tree: Tree):
    return -FOREVER if layout.is_empty(tree) else layout.youngest(tree)


class FingerTree(PointWindow):
    """Any order. With n entries in the window, d of them younger than an insertion, and m in a burst or an eviction:
    insert O(log d), bulk_insert O(m log(d/m)) after sorting, evict O(1) for the oldest entry and O(log n) for others,
    bulk_evict O(log m), all amortised; query O(1), range_query and first_where O(log n), len O(n / arity). len has to
    count, since an eviction does not look at the entries that it removes. Memory: one word and a state for each entry.
    Only memory limits n: entries have 64-bit offsets.

    min_arity: least number of children of an inner node, 2 or more; a leaf holds four to eight times as many entries.
    deferred_free: True takes evicted subtrees apart only when new nodes are needed (FIBA §6); False takes them apart
        at once, which makes a bulk_evict O(m).
    """

    OPTIONS = ("min_arity", "deferred_free")
    PANE_OPTIONS = ("min_arity",)
    CARD = Card("any", "O(log d)", "O(m log(d / m))", "O(1)", "O(log m)", "O(1)", "O(log n)", "FIBA §3-6")
    OPERATIONS = (
        *(nodes.create, nodes.destroy, nodes.reset),
        *(insert.insert, insert.insert_burst, bulk.insert_sorted, insert.stage),
        *(evict.evict, evict.bulk_evict, query.query, query.range_query, query.append_range),
        *(layout.oldest, youngest, query.first_from, first_where),
        *(layout.is_empty, query.count, query.count_between, query.copy_entries),
    )

    @in_turn
    def first_where(self, predicate: Callable[[Mapping, Mapping], bool]) -> tuple[int, dict] | None:
        """Time of the first entry at which predicate(total, prefix) is true, and that prefix; None if it is at none.

            window.first_where(lambda total, prefix: prefix["trips"] >= 0.5 * total["trips"])

        total: the outputs of the window, as query() gives them; prefix: those of all entries up to and with that one.
        What is true of a prefix must be true of every longer one. O(log n) questions, about as fast as a range query.
        WrongParameter for a predicate that Numba can't compile, with why (kernels/objects/predicates.py).
        """
        asked = Predicate("predicate", predicate, self._names, self._plan, self._outputs_at)
        prefix = np.zeros(self._plan.state_words, np.int64)
        found = asked.search(self._ask, "first_where", asked.address, asked.parameters, address_of(prefix))
        return None if found == FOREVER else (found, self._outputs_at(address_of(prefix)))

    @classmethod
    def option_words(cls, min_arity: int = USUAL_ARITY, deferred_free: bool = True) -> tuple[int, int]:
        if type(min_arity) is not int or not LEAST_ARITY <= min_arity <= MOST_ARITY:
            raise WrongParameter("min_arity", min_arity, f"an integer from {LEAST_ARITY} to {MOST_ARITY}")
        if type(deferred_free) is not bool:
            raise WrongParameter("deferred_free", deferred_free, "True or False")
        return min_arity, int(not deferred_free)

    def _check(self, tree: int, plan: Plan) -> None:
        check_tree(tree, plan, self.dispatch().query(tree))


KERNEL = FingerTree
