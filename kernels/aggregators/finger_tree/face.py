"""The finger tree as an object for one window: for users, tests and notebooks. The replay uses the same functions."""

from kernels.aggregators import _doors
from kernels.aggregators._card import Card
from kernels.aggregators._window import Window, ask
from kernels.aggregators.finger_tree.check import check_tree
from kernels.aggregators.finger_tree.door import door
from schemas.errors import WrongParameter


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
    PANE_OPTION = 8
    CARD = Card("any", "O(log d)", "O(m log(d / m))", "O(log n)", "O(log m)", "O(1)", "O(log n)", "FIBA §3-6")
    door = staticmethod(door)
    _check = staticmethod(check_tree)

    @classmethod
    def _create(cls, plan: int, min_arity: int = 8, deferred_free: bool = True) -> int:
        if type(min_arity) is not int or not 2 <= min_arity <= 1024:
            raise WrongParameter("min_arity", min_arity, "an integer from 2 to 1024")
        if type(deferred_free) is not bool:
            raise WrongParameter("deferred_free", deferred_free, "True or False")
        return ask(cls.door(), 0, _doors.CREATE, plan, min_arity, 0 if deferred_free else 1)
