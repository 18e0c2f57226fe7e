"""Finding times in a queue."""

from kernels.aggregators._dispatch import DONE, NOT_OLDEST, NOTHING
from kernels.aggregators._queue.layout import Queue, fold_between, time_at
from kernels.runtime.memory import inner, not_inlined


@inner
def search(queue, time, inclusive):
    """Ordinal of the first entry at or after `time`; inclusive: of the first after it. O(log d), d entries from where
    the last search ended.

    Galloping from there: evictions go on from the last one, and so do the windows that a replay asks for.
    """
    low, high = _gallop(queue, time, inclusive, max(queue.first, min(queue.found, queue.end)))
    while low < high:
        middle = (low + high) >> 1
        if _is_before(queue, middle, time, inclusive):
            low = middle + 1
        else:
            high = middle
    queue.found = low
    return low


@inner
def _gallop(queue, time, inclusive, start):
    """(low, high): what is searched for is in [low, high], which is as wide as its distance from `start`."""
    first, end, step = queue.first, queue.end, 1
    if start < end and _is_before(queue, start, time, inclusive):
        low = start + 1
        while low + step <= end and _is_before(queue, low + step - 1, time, inclusive):
            low += step
            step *= 2
        return low, min(low + step - 1, end)
    high = start
    while high - step >= first and not _is_before(queue, high - step, time, inclusive):
        high -= step
        step *= 2
    return max(first, high - step), high


@inner
def _is_before(queue, ordinal, time, inclusive):
    at = time_at(queue, ordinal)
    return at < time or (inclusive and at == time)


@inner
def can_evict(queue, time):
    """DONE if `time` is the oldest, NOT_OLDEST if it is another entry's, else NOTHING."""
    not_inlined()
    ordinal = search(queue, time, False)
    if ordinal == queue.end or time_at(queue, ordinal) != time:
        return NOTHING
    return DONE if ordinal == queue.first else NOT_OLDEST


@inner
def append_own(queue, low, high, into):
    """An append_range: into ⊗= the entries with times in [low, high), which hold their own states; True. O(entries in
    range)."""
    queue = Queue(queue)
    fold_between(queue, into, queue.states, search(queue, low, False), search(queue, high, False))
    return True
