"""Finding times in a queue."""

from kernels.aggregators._queue.layout import END, FIRST, is_empty, oldest, time_at, youngest
from kernels.aggregators._window import DONE, NOT_OLDEST, NOTHING, OLDEST, YOUNGEST
from kernels.memory import inner, load, not_inlined


@inner
def search(queue, time, inclusive):
    """Ordinal of the first entry at or after `time`; inclusive: of the first after it. O(log m), m entries before it.

    Galloping from the old end, where evictions ask: the place is looked for among 1, 2, 4, … entries.
    """
    low, step, end = load(queue, FIRST), 1, load(queue, END)
    while low + step <= end and _is_before(queue, low + step - 1, time, inclusive):
        low += step
        step *= 2
    high = min(low + step - 1, end)
    while low < high:
        middle = (low + high) >> 1
        if _is_before(queue, middle, time, inclusive):
            low = middle + 1
        else:
            high = middle
    return low


@inner
def _is_before(queue, ordinal, time, inclusive):
    at = time_at(queue, ordinal)
    return at < time or (inclusive and at == time)


@inner
def can_evict(queue, time):
    """(DONE, 0) if `time` is the oldest, (NOT_OLDEST, that) if it is another entry's, else (NOTHING, 0)."""
    not_inlined()
    ordinal = search(queue, time, False)
    if ordinal == load(queue, END) or time_at(queue, ordinal) != time:
        return NOTHING, 0
    return (DONE, 0) if ordinal == load(queue, FIRST) else (NOT_OLDEST, oldest(queue))


@inner
def extent(queue, operation):
    """Answer of a face's _change to OLDEST, YOUNGEST and LENGTH."""
    if is_empty(queue):
        return NOTHING, 0
    if operation == OLDEST:
        return DONE, oldest(queue)
    if operation == YOUNGEST:
        return DONE, youngest(queue)
    return DONE, load(queue, END) - load(queue, FIRST)
