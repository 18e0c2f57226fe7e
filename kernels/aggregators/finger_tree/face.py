"""The finger tree as an object for one window: for users, tests and notebooks. The replay uses the same functions."""

from kernels.aggregators._window import (
    BULK_EVICT,
    DONE,
    EVICT,
    INSERT,
    NOTHING,
    OLDEST,
    YOUNGEST,
    Window,
    lower_all,
)
from kernels.aggregators.finger_tree import evict as eviction
from kernels.aggregators.finger_tree import evict_one, layout, nodes, scan, search
from kernels.aggregators.finger_tree import insert as insertion
from kernels.aggregators.finger_tree import query as querying
from kernels.aggregators.finger_tree.check import check_tree
from kernels.memory import entry, load
from kernels.operation_sources import TIMES
from schemas.errors import WrongParameter


@entry
def create(plan, min_arity, frees_at_once):
    return nodes.create(plan, min_arity, frees_at_once)


@entry
def destroy(tree):
    layout.destroy(tree)


@entry
def change(tree, operation, time, source, rows):
    """One call for everything that doesn't answer with states: their machine code is made once."""
    if operation == INSERT:
        insertion.insert_burst(tree, load(source, TIMES), source, rows)
    elif operation == EVICT:
        return (DONE if evict_one.evict(tree, time) else NOTHING), 0
    elif operation == BULK_EVICT:
        eviction.bulk_evict(tree, time)
    elif search.is_empty(tree):
        return NOTHING, 0
    elif operation == OLDEST:
        return DONE, scan.oldest(tree)
    elif operation == YOUNGEST:
        return DONE, search.youngest(tree)
    else:
        return DONE, scan.count_entries(tree)
    return DONE, 0


@entry
def answer(tree, whole, low, high, answers):
    state = querying.query(tree) if whole else querying.range_query(tree, low, high)
    lower_all(load(tree, layout.PLAN), state, answers)
    return DONE


class FingerTree(Window):
    """Any order; with n entries, d of them younger than the place of an insertion, m in a burst or an eviction:
    insert O(log d), bulk_insert O(m log(d/m)) after sorting, evict O(log n), bulk_evict O(log m), all amortised;
    query O(1), range_query O(log n), len O(n / arity). Memory: 1 word an entry beside its state. An eviction looks at
    no entry that goes, so nobody counts along. What bounds n is memory: entries are named by 64-bit offsets.

    min_arity: of inner nodes, from 2 on; a leaf holds four to eight times as many entries.
    deferred_free: whether evicted subtrees are taken apart only as new nodes are wanted (FIBA §6), or at once, which
        makes a bulk_evict O(m).
    """

    OPTIONS = ("min_arity", "deferred_free")
    _destroy, _change, _answer = staticmethod(destroy), staticmethod(change), staticmethod(answer)
    _check = staticmethod(check_tree)

    @staticmethod
    def _create(plan: int, min_arity: int = 8, deferred_free: bool = True) -> int:
        if type(min_arity) is not int or not 2 <= min_arity <= 1024:
            raise WrongParameter("min_arity", min_arity, "an integer from 2 to 1024")
        if type(deferred_free) is not bool:
            raise WrongParameter("deferred_free", deferred_free, "True or False")
        return create(plan, min_arity, 0 if deferred_free else 1)
