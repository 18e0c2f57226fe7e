"""Two-stacks lite: a queue whose old part is overwritten by its own suffix aggregates; in order of time only.

Times 1 to 7, sum, after the eviction of time 1 has turned 2 to 5 around and 6 and 7 came in:

    time      2   3   4   5 | 6 | 7
    holds    14  12   9   5 | 6 | 7       14 = 2+3+4+5, 12 = 3+4+5, …; BACK = 6; 7 is open
             ----front----- |back

    query() = 14 + 6 + 7. An eviction of 2 drops its entry, and 12 is next. Once the front is gone, the next eviction
    turns the whole back around: its states become suffix aggregates in place, in one pass from young to old.

Source: FIBA §7, the baseline (Tangwongsan, Hirzel, Schneider), after the folklore queue of two stacks.
"""

from kernels.aggregators._card import Card
from kernels.aggregators._queue.check import check_two_stacks
from kernels.aggregators._queue.door import make_answer
from kernels.aggregators._queue.face import LiteWindow
from kernels.aggregators._queue.in_order import operations_of, take_up_closed
from kernels.aggregators._queue.layout import (
    BACK,
    CLOSED,
    MIDDLE,
    PLAN,
    clear_scratch,
    drop_before,
    state_at,
)
from kernels.aggregators._queue.lite import append_back, fold_values, query, suffixes_between
from kernels.aggregators._queue.search import search
from kernels.memory import inner, load, not_inlined, store
from kernels.native import door_of
from kernels.states import merge


@inner
def _drop(queue, first):
    """Forget the entries before `first`; if that is more than the front, turn the rest of the back around."""
    drop_before(queue, first)
    if first > load(queue, MIDDLE):
        suffixes_between(queue, first, load(queue, CLOSED), 0)
        store(queue, MIDDLE, load(queue, CLOSED))
        clear_scratch(queue, BACK)


@inner
def append_range(queue, low, high, into):
    """into ⊗= the aggregate of the times in [low, high); False if it is not kept.

    O(log n) if the range reaches to the youngest; else O(entries in range), those of the front by their kept values.
    """
    not_inlined()
    first, last = search(queue, low, False), search(queue, high, False)
    middle = load(queue, MIDDLE)
    if first >= last:
        return True
    if last < middle:
        return fold_values(queue, into, first, last)
    if first < middle:
        merge(load(queue, PLAN), into, into, state_at(queue, first))
    append_back(queue, into, max(first, middle), last)
    return True


_answer = make_answer("two_stacks_lite", operations_of("two_stacks_lite", take_up_closed, _drop, query, append_range))


def two_stacks_lite_door(queue, operation, first, second, third):
    """The operations of _doors.py; CREATE: whether values are kept."""
    return _answer(queue, operation, first, second, third)


door = door_of(two_stacks_lite_door)


class TwoStacksLite(LiteWindow):
    """In order of time; with n entries, m in a burst or an eviction: insert O(1), bulk_insert O(m) after sorting, evict
    O(1) amortised (now and then O(n)), bulk_evict O(log m), or one pass over what stays; query O(1), range_query O(log
    n) if the range reaches to the youngest, else O(entries in range), len O(1). Insertions cost O(n) where the memory
    grows.

    Memory: a time and a state an entry and an eighth of that; with keep_values, on by default, a state more. Without,
    range_query refuses ranges that end before the younger part of the window does.
    """

    CARD = Card("in order", "O(1)", "O(m)", "O(1)", "O(m)", "O(1)", "O(entries)", "FIBA §7, baseline")
    door, _check = staticmethod(door), staticmethod(check_two_stacks)


KERNEL = TwoStacksLite
