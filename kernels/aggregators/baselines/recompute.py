"""Recompute from scratch: entries in a sorted array, every aggregate a fold over them. Any order; no cleverness.

    times  [10, 20, 30]     insert(25) finds place 2, moves 30 up and stands there: [10, 20, 25, 30]
    range_query(20, 30) folds places 1 and 2; bulk_evict(20) moves 25 and 30 down to place 0

The other kernels are tested and measured against this one. The array is a queue (_queue) whose oldest entry stays at
place 0, so that its ring never wraps.

Source: the definition of a window's aggregate.
"""

from windrow.kernels.aggregators._dispatch import DONE, NOTHING, OUT_OF_ORDER
from windrow.kernels.aggregators._window import Card, PointWindow
from windrow.kernels.aggregators.baselines._queue import (
    READS,
    Queue,
    fold_between,
    reserve,
    search,
    state_at,
    time_at,
)
from windrow.kernels.aggregators.baselines._queue.check import check_order
from windrow.kernels.aggregators.baselines._queue.in_order import append, append_burst, append_range, range_query
from windrow.kernels.runtime.fields import Times
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from windrow.kernels.states import clear, copy_state, gather, merge


@inner
def insert(window: Queue, time, state, row):
    """Insert (time, state), which must not lie in the window. O(log n) and moving what is younger."""
    not_inlined()
    if append(window, time, state) == DONE:
        return DONE
    at = search(window, time, False)
    if time_at(window, at) == time:
        merge(window.plan, state_at(window, at), state_at(window, at), state)
        return DONE
    reserve(window, 1)
    _move_entries(window, at, at + 1)
    window.times[at] = time
    copy_state(window, state_at(window, at), state)
    return DONE


@inner
def insert_burst(window: Queue, times: Times, events, rows):
    """Insert a sorted burst of events, row i of `events` at times[i]. O(rows) at the young end, elsewhere each event
    by itself."""
    not_inlined()
    if append_burst(window, times, events, rows) == OUT_OF_ORDER:
        for row in range(rows):
            gather(window.plan, window.new, events, row, row + 1)
            insert(window, times[row], window.new, -1)
    return DONE


@inner
def _move_entries(window, source, target):
    """Move the entries from `source` on to `target`, where there is room for them."""
    entries, size = window.end - source, window.state_bytes
    move(window.times[target:], window.times[source:], entries)
    move(window.states + size * target, window.states + size * source, entries * (size // WORD_BYTES))
    window.end = target + entries


@inner
def evict(window: Queue, time):
    """Evict the entry at `time`. O(log n) and moving what is younger."""
    at = search(window, time, False)
    if at == window.end or time_at(window, at) != time:
        return NOTHING
    _move_entries(window, at + 1, at)
    return DONE


@inner
def bulk_evict(window: Queue, time):
    """Evict all entries at times ≤ `time`, moving all that stays."""
    at = search(window, time, True)
    if at > 0:
        _move_entries(window, at, 0)


@inner
def query(window: Queue):
    """Address of the aggregate of all entries, valid until the next call: O(n)."""
    result = clear(window.plan, window.result)
    fold_between(window, result, window.states, window.first, window.end)
    return result


class Recompute(PointWindow):
    """Any order. With n entries in the window, and m in a burst or an eviction: insert O(1) at the young end, else
    O(log n) and moving the younger entries; bulk_insert O(m) after sorting at the young end, else m insertions; evict
    and bulk_evict O(log n) and moving the younger entries; query O(n), range_query O(entries in range), len O(1).

    Memory: for each entry a time and a state, plus an eighth of that.
    """

    CARD = Card("any", "O(d)", "O(m d)", "O(n)", "O(n)", "O(n)", "O(entries)", "oracle")
    OPERATIONS = (*READS, append_range, range_query, query, insert, insert_burst, evict, bulk_evict)
    _check = staticmethod(check_order)


KERNEL = Recompute
