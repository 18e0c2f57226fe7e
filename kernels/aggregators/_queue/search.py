"""Finding times in a queue."""

from kernels.aggregators._dispatch import DONE, NOT_OLDEST, NOTHING
from kernels.aggregators._queue.layout import Queue, fold_between, time_at
from kernels.runtime.bisection import searches
from kernels.runtime.memory import inner, not_inlined


@inner
def _is_before(queue, ordinal, sought):
    time, inclusive = sought
    at = time_at(queue, ordinal)
    return at < time or (inclusive and at == time)


_ORDINALS = searches("queue", _is_before)
_gallop, _gallop_back = _ORDINALS.gallop, _ORDINALS.gallop_back


@inner
def search(queue, time, inclusive):
    """Ordinal of the first entry at or after `time`; inclusive: of the first after it. O(log d), d entries from where
    the last search ended.

    Galloping from there: evictions go on from the last one, and so do the windows that a replay asks for.
    """
    start, sought = max(queue.first, min(queue.found, queue.end)), (time, inclusive)
    if start == queue.first or _is_before(queue, start - 1, sought):
        queue.found = _gallop(queue, start, queue.end, sought)
    else:
        queue.found = _gallop_back(queue, queue.first, start - 1, sought)
    return queue.found


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
