"""Insertion at the young end of a queue, of one entry or of a sorted burst; and the table of a kernel's operations."""

from collections.abc import Callable

from kernels.aggregators._dispatch import DONE, FOREVER, OUT_OF_ORDER, Entry, PointKernel, entry_bytes
from kernels.aggregators._queue import (
    Queue,
    before_wrap,
    cleared,
    copy_state,
    create,
    destroy,
    is_empty,
    place,
    reserve,
    reset,
    search,
    state_at,
    time_at,
)
from kernels.runtime.addresses import named_inner
from kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from kernels.runtime.tables import by_name, lazy_table
from kernels.states import gather, lift_each, merge


@inner
def append(queue, time, state):
    """Put (time, state) at the young end, combined into the open entry if that has this time; DONE, or OUT_OF_ORDER.

    `state` must not lie in the queue's blocks. The kernel then takes up what is closed: [closed, end − 1).
    """
    not_inlined()
    if not is_empty(queue):
        youngest_time, open_state = time_at(queue, queue.end - 1), state_at(queue, queue.end - 1)
        if time < youngest_time:
            return OUT_OF_ORDER
        if time == youngest_time:
            merge(queue.plan, open_state, open_state, state)
            _keep(queue, queue.end - 1)
            return DONE
    reserve(queue, 1)
    queue.times[place(queue, queue.end)] = time
    copy_state(queue, state_at(queue, queue.end), state)
    queue.end += 1
    _keep(queue, queue.end - 1)
    return DONE


@inner
def append_burst(queue, times, events, rows):
    """The same with events whose times ascend; row i of `events` is at times[i].

    A burst that starts too early changes nothing.
    """
    not_inlined()
    row, first_changed = 0, queue.end
    if rows > 0 and not is_empty(queue):
        youngest_time = time_at(queue, queue.end - 1)
        if times[0] < youngest_time:
            return OUT_OF_ORDER
        if times[0] == youngest_time:
            row = _extend_open(queue, times, events, rows)
        first_changed -= 1
    reserve(queue, rows - row)
    if _all_differ(times, row, rows):
        _append_each(queue, times, events, row, rows)
    else:
        _append_groups(queue, times, events, row, rows)
    _keep(queue, first_changed)
    return DONE


@inner
def _extend_open(queue, times, events, rows):
    """Combine the leading events, of the open entry's time, into it; returns the next event."""
    not_inlined()
    row, open_state = _group_end(times, 0, rows), state_at(queue, queue.end - 1)
    gather(queue.plan, queue.new, events, 0, row)
    merge(queue.plan, open_state, open_state, queue.new)
    return row


@inner
def _all_differ(times, row, rows):
    """Without a way out of the loop, so that it is compiled to vector instructions."""
    equal = 0
    for later in range(row + 1, rows):
        equal += times[later] == times[later - 1]
    return equal == 0


@inner
def _group_end(times, row, rows):
    """First row behind those of the same time."""
    time = times[row]
    while row < rows and times[row] == time:
        row += 1
    return row


@inner
def _append_each(queue, times, events, row, rows):
    """An entry per event: one call for the times and one for the states, two where the ring ends in between."""
    while row < rows:
        at, here = place(queue, queue.end), before_wrap(queue, queue.end, rows - row)
        if here == 1:
            queue.times[at] = times[row]
        else:
            move(queue.times[at:], times[row:], here)
        lift_each(queue.plan, state_at(queue, queue.end), queue.state_bytes, events, row, row + here)
        queue.end += here
        row += here


@inner
def _append_groups(queue, times, events, row, rows):
    """An entry per time."""
    not_inlined()
    while row < rows:
        next_row = _group_end(times, row, rows)
        queue.times[place(queue, queue.end)] = times[row]
        gather(queue.plan, state_at(queue, queue.end), events, row, next_row)
        queue.end += 1
        row = next_row


@inner
def _keep(queue, first):
    """Copy the states of the entries from `first` on to the values, if values are kept."""
    size = queue.state_bytes
    while queue.values != 0 and first < queue.end:
        here = before_wrap(queue, first, queue.end - first)
        move(queue.values + place(queue, first) * size, state_at(queue, first), here * (size // WORD_BYTES))
        first += here


def queue_kernel(kernel: str, query, append_range, changes: dict) -> Callable[[], PointKernel]:
    """What gives the table of a kernel of that name, compiled or loaded when it is first asked for: its own operations
    (_dispatch.py), and those that all queues share.

    append_range(queue, low, high, into) → whether the aggregate of [low, high) is kept
    changes: insert, insert_burst, evict and bulk_evict
    """

    def range_query(queue: Queue, low, high):
        result = cleared(queue, queue.result)
        return result if append_range(queue, low, high, result) else 0

    reads = {"query": query, "append_range": append_range, "range_query": named_inner(kernel, range_query)}
    return lazy_table(PointKernel, kernel, **SHARED | changes | reads)


@inner
def oldest(queue: Queue):
    return FOREVER if is_empty(queue) else time_at(queue, queue.first)


@inner
def youngest(queue: Queue):
    return -FOREVER if is_empty(queue) else time_at(queue, queue.end - 1)


@inner
def first_from(queue: Queue, time):
    ordinal = search(queue, time, False)
    return FOREVER if ordinal == queue.end else time_at(queue, ordinal)


@inner
def count(queue: Queue):
    return queue.end - queue.first


@inner
def count_between(queue: Queue, low, high):
    return max(0, search(queue, high, False) - search(queue, low, False))


@inner
def copy_entries(queue: Queue, low, high, target):
    """An Entry of each of the entries with times in [low, high): from the kept values, or else from the states, which
    a kernel that overwrites them with aggregates must not be asked for."""
    states = queue.values if queue.values != 0 else queue.states
    for ordinal in range(search(queue, low, False), search(queue, high, False)):
        entry = Entry(target)
        entry.time = time_at(queue, ordinal)
        copy_state(queue, entry.state.address, states + place(queue, ordinal) * queue.state_bytes)
        target += entry_bytes(queue.state_bytes)


SHARED = by_name(*(create, destroy, reset, oldest, youngest, first_from, is_empty, count, count_between, copy_entries))
