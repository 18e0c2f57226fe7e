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
from kernels.aggregators._queue import layout
from kernels.aggregators._queue.append import append, append_burst
from kernels.aggregators._queue.check import check_two_stacks
from kernels.aggregators._queue.face import LiteWindow
from kernels.aggregators._queue.layout import (
    BACK,
    CLOSED,
    END,
    FIRST,
    MIDDLE,
    PLAN,
    RESULT,
    STATES,
    clear_scratch,
    destroy,
    drop_before,
    fold_between,
    is_empty,
    oldest,
    reset,
    scratch,
    state_at,
    youngest,
)
from kernels.aggregators._queue.lite import append_back, fold_values, query, suffixes_between
from kernels.aggregators._queue.search import can_evict, extent, search
from kernels.aggregators._window import BULK_EVICT, DONE, EVICT, INSERT, NOT_KEPT, OUT_OF_ORDER, lower_all
from kernels.memory import entry, inner, load, not_inlined, store
from kernels.operation_sources import TIMES
from kernels.states import merge

__all__ = ["KERNEL", "bulk_evict", "create", "destroy", "evict", "insert", "insert_burst", "is_empty", "oldest",
           "query", "range_query", "reset", "youngest"]


@inner
def create(plan, keep_values=False):
    """Address of an empty window; keep_values: see TwoStacksLite."""
    return layout.create(plan, keep_values)


@inner
def insert(queue, time, state):
    """Insert (time, state), which must not lie in the queue; False, and nothing done, if it is older than the
    youngest. O(1)."""
    done = append(queue, time, state)
    _aggregate_back(queue)
    return done


@inner
def insert_burst(queue, times, source, rows):
    """Insert a sorted burst of events, row i of `source` at times[i]; False as insert. O(rows)."""
    done = append_burst(queue, times, source, rows)
    _aggregate_back(queue)
    return done


@inner
def _aggregate_back(queue):
    """Take up what the open entry no longer holds back."""
    closed, end = load(queue, CLOSED), load(queue, END)
    if closed < end - 1:
        fold_between(queue, scratch(queue, BACK), STATES, closed, end - 1)
        store(queue, CLOSED, end - 1)


@inner
def evict(queue, time):
    """Evict the oldest entry, whose time this must be; (status, number) as _window's _change. O(1) amortised."""
    answer = can_evict(queue, time)
    if answer[0] == DONE:
        _drop(queue, load(queue, FIRST) + 1)
    return answer


@inner
def bulk_evict(queue, time):
    """Evict all entries at times ≤ `time`. O(log m), and one pass over what stays where that is in the back only."""
    first = search(queue, time, True)
    if first > load(queue, FIRST):
        _drop(queue, first)


@inner
def _drop(queue, first):
    """Forget the entries before `first`; if that is more than the front, turn the rest of the back around."""
    if first == load(queue, END):
        reset(queue)
        return
    drop_before(queue, first)
    if first > load(queue, MIDDLE):
        suffixes_between(queue, first, load(queue, CLOSED), 0)
        store(queue, MIDDLE, load(queue, CLOSED))
        clear_scratch(queue, BACK)


@inner
def range_query(queue, low, high):
    """Address of the aggregate of the times in [low, high), valid until the next call; 0 if it is not kept.

    O(log n) if the range reaches to the youngest; else O(entries in range), those of the front by their kept values.
    """
    not_inlined()
    first, last = search(queue, low, False), search(queue, high, False)
    middle, result = load(queue, MIDDLE), clear_scratch(queue, RESULT)
    if first >= last:
        return result
    if last < middle:
        return fold_values(queue, result, first, last)
    if first < middle:
        merge(load(queue, PLAN), result, result, state_at(queue, first))
    append_back(queue, result, max(first, middle), last)
    return result


@entry
def _create(plan, keep_values):
    return create(plan, keep_values)


@entry
def _destroy(queue):
    destroy(queue)


@entry
def _change(queue, operation, time, source, rows):
    if operation == INSERT:
        done = insert_burst(queue, load(source, TIMES), source, rows)
        return (DONE, 0) if done else (OUT_OF_ORDER, youngest(queue))
    if operation == EVICT:
        return evict(queue, time)
    if operation == BULK_EVICT:
        bulk_evict(queue, time)
        return DONE, 0
    return extent(queue, operation)


@entry
def _answer(queue, whole, low, high, answers):
    state = query(queue) if whole else range_query(queue, low, high)
    if state == 0:
        return NOT_KEPT
    lower_all(load(queue, PLAN), state, answers)
    return DONE


class TwoStacksLite(LiteWindow):
    """In order of time; with n entries, m in a burst or an eviction: insert O(1), bulk_insert O(m) after sorting, evict
    O(1) amortised (now and then O(n)), bulk_evict O(log m), or one pass over what stays; query O(1), range_query O(log
    n) if the range reaches to the youngest, else O(entries in range), len O(1). Insertions cost O(n) where the memory
    grows.

    Memory: a time and a state an entry and an eighth of that; with keep_values, on by default, a state more. Without,
    range_query refuses ranges that end before the younger part of the window does.
    """

    CARD = Card("in order", "O(1)", "O(m)", "O(1)", "O(m)", "O(1)", "O(entries)", "FIBA §7, baseline")
    _change, _answer, _destroy = staticmethod(_change), staticmethod(_answer), staticmethod(_destroy)
    _make, _check = staticmethod(_create), staticmethod(check_two_stacks)


KERNEL = TwoStacksLite
