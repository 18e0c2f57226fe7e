"""Insertion at the young end of a queue: of one entry, or of a sorted burst."""

from kernels.aggregators._doors import DONE, OUT_OF_ORDER
from kernels.aggregators._queue.layout import (
    END,
    NEW,
    PLAN,
    STATE_BYTES,
    STATES,
    TIMES,
    VALUES,
    before_wrap,
    is_empty,
    place,
    reserve,
    scratch,
    state_at,
    youngest,
)
from kernels.memory import inner, load, move, not_inlined, store
from kernels.states import gather, lift_each, merge


@inner
def append(queue, time, state):
    """Put (time, state) at the young end, combined into the open entry if that has this time; DONE, or OUT_OF_ORDER.

    `state` must not lie in the queue's blocks. The kernel then takes up what is closed: [CLOSED, END − 1).
    """
    not_inlined()
    end = load(queue, END)
    if not is_empty(queue):
        youngest_time = youngest(queue)
        if time < youngest_time:
            return OUT_OF_ORDER
        if time == youngest_time:
            merge(load(queue, PLAN), state_at(queue, end - 1), state_at(queue, end - 1), state)
            _keep(queue, end - 1)
            return DONE
    reserve(queue, 1)
    store(load(queue, TIMES), place(queue, end), time)
    move(state_at(queue, end), state, load(queue, STATE_BYTES) >> 3)
    store(queue, END, end + 1)
    _keep(queue, end)
    return DONE


@inner
def append_burst(queue, times, source, rows):
    """The same with events whose times ascend; event i is row i of `source` (states.gather). times: address.

    A burst that starts too early changes nothing.
    """
    not_inlined()
    row, end = 0, load(queue, END)
    if rows > 0 and not is_empty(queue):
        youngest_time = youngest(queue)
        if load(times, 0) < youngest_time:
            return OUT_OF_ORDER
        if load(times, 0) == youngest_time:
            row = _extend_open(queue, times, source, rows)
        end -= 1
    reserve(queue, rows - row)
    if _all_differ(times, row, rows):
        _append_each(queue, times, source, row, rows)
    else:
        _append_groups(queue, times, source, row, rows)
    _keep(queue, end)
    return DONE


@inner
def _extend_open(queue, times, source, rows):
    """Combine the leading events, of the open entry's time, into it; returns the next event."""
    not_inlined()
    row = _group_end(times, 0, rows)
    there, more = state_at(queue, load(queue, END) - 1), scratch(queue, NEW)
    gather(load(queue, PLAN), more, source, 0, row)
    merge(load(queue, PLAN), there, there, more)
    return row


@inner
def _all_differ(times, row, rows):
    """Without a way out of the loop, so that it is compiled to vector instructions."""
    equal = 0
    for later in range(row + 1, rows):
        equal += load(times, later) == load(times, later - 1)
    return equal == 0


@inner
def _group_end(times, row, rows):
    """First row behind those of the same time."""
    time = load(times, row)
    while row < rows and load(times, row) == time:
        row += 1
    return row


@inner
def _append_each(queue, times, source, row, rows):
    """An entry per event: one call for the times and one for the states, two where the ring ends in between."""
    plan, size, end = load(queue, PLAN), load(queue, STATE_BYTES), load(queue, END)
    while row < rows:
        at, here = place(queue, end), before_wrap(queue, end, rows - row)
        if here == 1:
            store(load(queue, TIMES), at, load(times, row))
        else:
            move(load(queue, TIMES) + 8 * at, times + 8 * row, here)
        lift_each(plan, load(queue, STATES) + at * size, size, source, row, row + here)
        end += here
        row += here
    store(queue, END, end)


@inner
def _append_groups(queue, times, source, row, rows):
    """An entry per time."""
    not_inlined()
    while row < rows:
        end, next_row = load(queue, END), _group_end(times, row, rows)
        store(load(queue, TIMES), place(queue, end), load(times, row))
        gather(load(queue, PLAN), state_at(queue, end), source, row, next_row)
        store(queue, END, end + 1)
        row = next_row


@inner
def _keep(queue, first):
    """Copy the states of the entries from `first` on to the values, if values are kept."""
    size, values = load(queue, STATE_BYTES), load(queue, VALUES)
    while values != 0 and first < load(queue, END):
        here = before_wrap(queue, first, load(queue, END) - first)
        move(values + place(queue, first) * size, state_at(queue, first), here * (size >> 3))
        first += here
