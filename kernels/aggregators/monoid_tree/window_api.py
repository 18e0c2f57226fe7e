"""The monoid tree as an object for one window: for users, tests and notebooks. The replay asks the same dispatch."""

from kernels.aggregators._card import Card
from kernels.aggregators._forest.window_api import MonoidWindow
from kernels.aggregators.monoid_tree.tree import dispatch


class MonoidTree(MonoidWindow):
    """Log MTA. With n entries: insert, evict, bulk_evict and range_query O(log n), bulk_insert of m O(m + log n) after
    sorting, query and len O(1); a policy costs O(log m) of its calls per event, m entries being evicted.
    """

    CARD = Card(
        "in order", "O(log n)", "O(m + log n)", "O(log n)", "O(log n)", "O(1)", "O(log n)", "MTA §4.1, alg. 1-2"
    )
    dispatch = staticmethod(dispatch)
