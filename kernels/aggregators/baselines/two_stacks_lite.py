"""Two-stacks lite: a queue whose old part is overwritten by its own suffix aggregates; in order of time only.

Times 1 to 7, sum, after the eviction of time 1 has turned 2 to 5 around and 6 and 7 came in:

    time      2   3   4   5 | 6 | 7
    holds    14  12   9   5 | 6 | 7       14 = 2+3+4+5, 12 = 3+4+5, …; back = 6; 7 is open
             ----front----- |back

    query() = 14 + 6 + 7. An eviction of 2 drops its entry, and 12 is next. Once the front is empty, the next eviction
    turns the whole back around: its states become suffix aggregates in place, in one pass from young to old.

Source: FIBA §7, the baseline (Tangwongsan, Hirzel, Schneider), after the folklore queue of two stacks.
"""

from windrow.kernels.aggregators._window import Card
from windrow.kernels.aggregators.baselines._queue import drop_before
from windrow.kernels.aggregators.baselines._queue.check import check_two_stacks
from windrow.kernels.aggregators.baselines._queue.in_order import (
    LiteWindow,
    in_order_operations,
    suffixes_between,
    take_up_closed,
)
from windrow.kernels.runtime.memory import inner
from windrow.kernels.states import clear


@inner
def _drop(queue, first):
    """Forget the entries before `first`; if that is more than the front, turn the rest of the back around."""
    drop_before(queue, first)
    if first > queue.middle:
        suffixes_between(queue, first, queue.closed, 0)
        queue.middle = queue.closed
        clear(queue.plan, queue.back)


class TwoStacksLite(LiteWindow):
    """In order of time. With n entries in the window, and m in a burst or an eviction: insert O(1), bulk_insert O(m)
    after sorting, evict O(1) amortised (now and then O(n)), bulk_evict O(log m) or one pass over the entries that stay,
    query O(1), range_query O(log n) if the range reaches to the youngest entry, else O(entries in range), len O(1). An
    insertion costs O(n) when the memory grows.

    Memory: for each entry a time and a state, plus an eighth of that, and one more state with keep_values (the
    default). Without keep_values, range_query refuses ranges that end before the younger part of the window does.
    """

    CARD = Card("in order", "O(1)", "O(m)", "O(1)", "O(log m)", "O(1)", "O(entries)", "FIBA §7, baseline")
    OPERATIONS = in_order_operations("two_stacks_lite", take_up_closed, _drop)
    _check = staticmethod(check_two_stacks)


KERNEL = TwoStacksLite
