"""The amortised monoid tree as an object for one window: for users, tests and notebooks. The replay asks the same
dispatch."""

from kernels.aggregators._card import Card
from kernels.aggregators._forest.window_api import MonoidWindow
from kernels.aggregators.amortized_monoid_tree.forest import dispatch


class AmortizedMonoidTree(MonoidWindow):
    """Amortised MTA. With n entries: insert and evict O(1) amortised, O(log n) at worst; bulk_insert of m O(m) after
    sorting, bulk_evict and range_query O(log n), query and len O(1); a policy costs O(log m) of its calls per event,
    m entries being evicted.
    """

    CARD = Card("in order", "O(1)", "O(m)", "O(1)", "O(log n)", "O(1)", "O(log n)", "MTA §4.2, alg. 3-7")
    dispatch = staticmethod(dispatch)
