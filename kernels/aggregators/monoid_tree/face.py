"""The monoid tree as an object for one window: for users, tests and notebooks. The replay uses the same functions."""

from kernels.aggregators._card import Card
from kernels.aggregators._forest.face import MonoidWindow
from kernels.aggregators._forest.words import PLAN
from kernels.aggregators._window import BULK_EVICT, EVICT, lower_all
from kernels.aggregators.monoid_tree import tree
from kernels.memory import entry, load
from kernels.operation_sources import TIMES

_put_rows, _drop_until = tree.OPERATIONS.put_rows, tree.OPERATIONS.drop_until
_drop_oldest, _drop_searched = tree.OPERATIONS.drop_oldest, tree.OPERATIONS.drop_searched


@entry
def create(plan, page_nodes):
    return tree.create_paged(plan, page_nodes)


@entry
def insert(s, source, first, end):
    return _put_rows(s, load(source, TIMES), source, first, end)


@entry
def drop(s, operation, time):
    if operation == EVICT:
        return _drop_oldest(s, time)
    if operation == BULK_EVICT:
        return _drop_until(s, time)
    return _drop_searched(s)


@entry
def answer(s, answers):
    lower_all(load(s, PLAN), tree.query(s), answers)


class MonoidTree(MonoidWindow):
    """Log MTA. With n entries: insert, evict, bulk_evict and range_query O(log n), bulk_insert of m O(m log n) after
    sorting, query and len O(1); a policy costs O(log m) of its calls per event, m entries being evicted.
    """

    CARD = Card("in order", "O(log n)", "O(m + log n)", "O(log n)", "O(log n)", "O(1)", "O(log n)",
                "MTA §4.1, alg. 1-2")
    _create_entry, _insert_entry = staticmethod(create), staticmethod(insert)
    _drop_entry, _answer_entry = staticmethod(drop), staticmethod(answer)
