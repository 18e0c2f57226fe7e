"""Finding times in a queue."""

from kernels.aggregators._doors import DONE, NOT_OLDEST, NOTHING
from kernels.aggregators._queue.layout import END, FIRST, FOUND, STATES, fold_between, time_at
from kernels.memory import inner, load, not_inlined, store


@inner
def search(queue, time, inclusive):
    """Ordinal of the first entry at or after `time`; inclusive: of the first after it. O(log d), d entries from where
    the last search ended.

    Galloping from there: evictions go on from the last one, and so do the windows that a replay asks for.
    """
    first, end, step = load(queue, FIRST), load(queue, END), 1
    low, high = first, max(first, min(load(queue, FOUND), end))
    if high < end and _is_before(queue, high, time, inclusive):
        low = high + 1
        while low + step <= end and _is_before(queue, low + step - 1, time, inclusive):
            low += step
            step *= 2
        high = min(low + step - 1, end)
    else:
        while high - step >= first and not _is_before(queue, high - step, time, inclusive):
            high -= step
            step *= 2
        low = max(first, high - step)
    while low < high:
        middle = (low + high) >> 1
        if _is_before(queue, middle, time, inclusive):
            low = middle + 1
        else:
            high = middle
    store(queue, FOUND, low)
    return low


@inner
def _is_before(queue, ordinal, time, inclusive):
    at = time_at(queue, ordinal)
    return at < time or (inclusive and at == time)


@inner
def can_evict(queue, time):
    """DONE if `time` is the oldest, NOT_OLDEST if it is another entry's, else NOTHING."""
    not_inlined()
    ordinal = search(queue, time, False)
    if ordinal == load(queue, END) or time_at(queue, ordinal) != time:
        return NOTHING
    return DONE if ordinal == load(queue, FIRST) else NOT_OLDEST


@inner
def fold_times(queue, low, high, into):
    """into ⊗= the entries with times in [low, high), which hold their own states; True. O(entries in range)."""
    fold_between(queue, into, STATES, search(queue, low, False), search(queue, high, False))
    return True
