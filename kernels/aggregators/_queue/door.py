"""The queue kernels behind one address each (_doors.py)."""

from typing import NamedTuple

from kernels.aggregators import _doors
from kernels.aggregators._queue import layout
from kernels.aggregators._queue.search import search
from kernels.memory import inner, load, move, not_inlined, store
from kernels.native import named_inner


class Operations(NamedTuple):
    """Compiled functions of one kernel over the address of a queue; statuses and order are those of _doors.py."""

    insert: object
    """insert(queue, time, state) → status; `state` must not lie in the queue."""
    insert_burst: object
    """insert_burst(queue, times, source, rows) → status: events whose times ascend, row i of `source` at times[i]."""
    evict: object
    """evict(queue, time) → status."""
    bulk_evict: object
    """bulk_evict(queue, time): all entries at times ≤ `time`."""
    query: object
    """query(queue) → address of the aggregate of all entries, valid until the next call."""
    append_range: object
    """append_range(queue, low, high, into): into ⊗= the aggregate of the times in [low, high); False if it is not kept.
    """


def make_answer(kernel: str, own: Operations):
    """The compiled function behind a kernel's door."""
    insert, insert_burst, evict, bulk_evict, query, append_range = own

    def answer(queue, operation, first, second, third):
        if operation == _doors.INSERT:
            return insert(queue, first, second)
        if operation == _doors.QUERY:
            return query(queue)
        if operation == _doors.RANGE_QUERY:
            result = layout.clear_scratch(queue, layout.RESULT)
            return result if append_range(queue, first, second, result) else 0
        if operation == _doors.APPEND_RANGE:
            append_range(queue, first, second, third)
        elif operation == _doors.BULK_EVICT:
            bulk_evict(queue, first)
        elif operation == _doors.INSERT_BURST:
            return insert_burst(queue, first, second, third)
        elif operation == _doors.EVICT:
            return evict(queue, first)
        elif operation == _doors.CREATE:
            return layout.create(first, second)
        else:
            return _of_any_queue(queue, operation, first, second, third)
        return _doors.DONE

    return named_inner(kernel, answer)


@inner
def _of_any_queue(queue, operation, first, second, third):
    not_inlined()
    if operation == _doors.IS_EMPTY:
        return 1 if layout.is_empty(queue) else 0
    if operation == _doors.OLDEST:
        return _doors.FOREVER if layout.is_empty(queue) else layout.oldest(queue)
    if operation == _doors.YOUNGEST:
        return -_doors.FOREVER if layout.is_empty(queue) else layout.youngest(queue)
    if operation == _doors.FIRST_FROM:
        ordinal = search(queue, first, False)
        return _doors.FOREVER if ordinal == load(queue, layout.END) else layout.time_at(queue, ordinal)
    if operation == _doors.COUNT:
        return load(queue, layout.END) - load(queue, layout.FIRST)
    if operation == _doors.COUNT_BETWEEN:
        return max(0, search(queue, second, False) - search(queue, first, False))
    if operation == _doors.COPY_ENTRIES:
        _copy_entries(queue, first, second, third)
    elif operation == _doors.RESET:
        layout.reset(queue)
    elif operation == _doors.DESTROY:
        layout.destroy(queue)
    return _doors.DONE


@inner
def _copy_entries(queue, low, high, target):
    """(time, own state) of the entries with times in [low, high): from the kept values, or else from the states, which
    a kernel that overwrites them with aggregates must not be asked for."""
    states = load(queue, layout.VALUES) if load(queue, layout.VALUES) != 0 else load(queue, layout.STATES)
    size = load(queue, layout.STATE_BYTES)
    for ordinal in range(search(queue, low, False), search(queue, high, False)):
        store(target, 0, layout.time_at(queue, ordinal))
        move(target + 8, states + layout.place(queue, ordinal) * size, size >> 3)
        target += 8 + size
