"""Subtract on evict: every entry as it came, and one running total from which an eviction takes its entry away.

Times 1 to 4, sum of 10, 20, 30, 40:

    time     1   2   3 | 4        total = 10 + 20 + 30; 4 is open
    holds   10  20  30 | 40       query() = 60 + 40; bulk_evict(2): total = 60 − (10 + 20)

It serves only aggregates with an exact inverse: counts, and sums and means of integers. A float sum has none:
(1e16 + 1.0) − 1e16 is 0.0, so errors would pile up in a window that never empties. So columns are int64 by default.

Source: folklore of sliding sums; it is also among the programs of FIBA's authors.
"""

from collections.abc import Sequence

from windrow.kernels.aggregators._window import Card, PointWindow
from windrow.kernels.aggregators.baselines._queue import drop_before, fold_between
from windrow.kernels.aggregators.baselines._queue.check import check_total
from windrow.kernels.aggregators.baselines._queue.in_order import in_order_operations, take_up_closed
from windrow.kernels.monoids import AggregateSpec, find_monoid, has_inverse, in_words, those_with
from windrow.kernels.runtime.memory import inner
from windrow.kernels.states import clear, subtract
from windrow.schemas.errors import WrongParameter


@inner
def _drop(queue, first):
    """Take the entries before `first` away from the total, which is `back`: nothing is ever in the front."""
    evicted = clear(queue.plan, queue.new)
    fold_between(queue, evicted, queue.states, queue.first, first)
    subtract(queue.plan, queue.back, evicted)
    drop_before(queue, first)


class SubtractOnEvict(PointWindow):
    """In order of time, and only aggregates with an exact inverse, so columns are int64 by default (5.0 is taken as 5,
    2.5 is refused). With m entries in a burst or an eviction: insert, evict and query O(1), bulk_insert and bulk_evict
    O(m), range_query O(entries in range), len O(1). An insertion costs O(n) when the memory grows.

    Memory: for each entry a time and a state, plus an eighth of that.
    """

    DEFAULT_TYPE = "int64"
    IN_ORDER_ONLY = True
    CARD = Card("in order, exact inverses only", "O(1)", "O(m)", "O(1)", "O(m)", "O(1)", "O(entries)", "oracle")
    OPERATIONS = in_order_operations("subtract_on_evict", take_up_closed, _drop)
    _check = staticmethod(check_total)

    @classmethod
    def refuse(cls, specs: Sequence[AggregateSpec]) -> None:
        """WrongParameter for an aggregate without an exact inverse."""
        for spec in specs:
            if not has_inverse(find_monoid(spec)[1]):
                raise WrongParameter(
                    "aggregate of subtract_on_evict",
                    in_words(spec),
                    f"what has an exact inverse ({', '.join(those_with(has_inverse))}); take two_stacks_lite, "
                    "daba_lite or finger_tree for it",
                )


KERNEL = SubtractOnEvict
