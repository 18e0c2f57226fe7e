"""Recompute from scratch: entries in a sorted array, every aggregate a fold over them. Any order; no cleverness.

    times  [10, 20, 30]     insert(25) finds place 2, moves 30 up and stands there: [10, 20, 25, 30]
    range_query(20, 30) folds places 1 and 2; bulk_evict(20) moves 25 and 30 down to place 0

It is what the other kernels are measured against and compared with. The array is a queue (_queue) whose oldest entry
stays at place 0, so that its ring never wraps.

Source: the definition of a window's aggregate.
"""

from kernels.aggregators._card import Card
from kernels.aggregators._doors import DONE, NOTHING, OUT_OF_ORDER
from kernels.aggregators._queue import layout
from kernels.aggregators._queue.append import append, append_burst
from kernels.aggregators._queue.check import check_order
from kernels.aggregators._queue.door import Operations, make_answer
from kernels.aggregators._queue.layout import (
    CAPACITY,
    END,
    FIRST,
    PLAN,
    RESULT,
    STATE_BYTES,
    STATES,
    TIMES,
    clear_scratch,
    destroy,
    fold_between,
    reserve,
    state_at,
    time_at,
)
from kernels.aggregators._queue.search import fold_times, search
from kernels.aggregators._window import Window
from kernels.memory import inner, load, move, not_inlined, store
from kernels.native import door_of
from kernels.states import merge


@inner
def insert(window, time, state):
    """Insert (time, state), which must not lie in the window. O(log n) and moving what is younger."""
    not_inlined()
    if append(window, time, state) == DONE:
        return DONE
    at = search(window, time, False)
    if time_at(window, at) == time:
        merge(load(window, PLAN), state_at(window, at), state_at(window, at), state)
        return DONE
    reserve(window, 1)
    _move_entries(window, at, at + 1)
    store(load(window, TIMES), at, time)
    move(state_at(window, at), state, load(window, STATE_BYTES) >> 3)
    return DONE


@inner
def insert_burst(window, times, source, rows):
    """Insert a sorted burst of events, row i of `source` at times[i]. O(rows) at the young end, elsewhere one
    merging pass over all entries."""
    not_inlined()
    if append_burst(window, times, source, rows) == OUT_OF_ORDER:
        burst = layout.create(load(window, PLAN), False)
        append_burst(burst, times, source, rows)
        _merge_in(window, burst)
        destroy(burst)
    return DONE


@inner
def _merge_in(window, burst):
    """Make the window the merge of both, the burst's events the later ones at equal times."""
    merged = layout.create(load(window, PLAN), False)
    reserve(merged, load(window, END) + load(burst, END))
    place, other = 0, 0
    while place < load(window, END) or other < load(burst, END):
        if other == load(burst, END) or (place < load(window, END)
                                         and time_at(window, place) <= time_at(burst, other)):
            append(merged, time_at(window, place), state_at(window, place))
            place += 1
        else:
            append(merged, time_at(burst, other), state_at(burst, other))
            other += 1
    for word in (TIMES, STATES, CAPACITY, END):
        before = load(window, word)
        store(window, word, load(merged, word))
        store(merged, word, before)
    destroy(merged)


@inner
def _move_entries(window, source, target):
    """Move the entries from `source` on to `target`, where there is room for them."""
    entries, size = load(window, END) - source, load(window, STATE_BYTES)
    times, states = load(window, TIMES), load(window, STATES)
    move(times + 8 * target, times + 8 * source, entries)
    move(states + size * target, states + size * source, entries * (size >> 3))
    store(window, END, target + entries)


@inner
def evict(window, time):
    """Evict the entry at `time`. O(log n) and moving what is younger."""
    at = search(window, time, False)
    if at == load(window, END) or time_at(window, at) != time:
        return NOTHING
    _move_entries(window, at + 1, at)
    return DONE


@inner
def bulk_evict(window, time):
    """Evict all entries at times ≤ `time`, moving all that stays."""
    at = search(window, time, True)
    if at > 0:
        _move_entries(window, at, 0)


@inner
def query(window):
    """Address of the aggregate of all entries, valid until the next call: O(n)."""
    result = clear_scratch(window, RESULT)
    fold_between(window, result, STATES, load(window, FIRST), load(window, END))
    return result


_answer = make_answer("recompute", Operations(insert, insert_burst, evict, bulk_evict, query, fold_times))


def recompute_door(window, operation, first, second, third):
    """The operations of _doors.py."""
    return _answer(window, operation, first, second, third)


door = door_of(recompute_door)


class Recompute(Window):
    """Any order; with n entries, m in a burst or an eviction: insert O(log n) and moving what is younger, O(1) at the
    young end, bulk_insert O(m) after sorting there, else O(n + m), evict and bulk_evict O(log n) and moving what is
    younger; query O(n), range_query O(entries in range), len O(1).

    Memory: a time and a state an entry and an eighth of that.
    """

    CARD = Card("any", "O(d)", "O(m + d)", "O(n)", "O(log n)", "O(n)", "O(entries)", "oracle")
    door, _check = staticmethod(door), staticmethod(check_order)


KERNEL = Recompute
