"""The panes, or events, of the key at hand, in whatever structure holds them: calls through its table
(kernels/aggregators/_dispatch.py). `panes` is the structure, r.panes."""

from kernels.runtime.calls import call
from kernels.runtime.memory import inner


@inner
def insert(r, panes, time, state, row):
    """row: of the event, or −1 for several, or for a part of one."""
    call(r.kernel.insert, panes, time, state, row)


@inner
def bulk_evict(r, panes, time):
    call(r.kernel.bulk_evict, panes, time)


@inner
def range_query(r, panes, low, high):
    """Address of the aggregate of [low, high), valid until the next call."""
    return call(r.kernel.range_query, panes, low, high)


@inner
def append_range(r, panes, low, high, into):
    """into ⊗= the aggregate of [low, high)."""
    call(r.kernel.append_range, panes, low, high, into)


@inner
def oldest(r, panes):
    """Time of the oldest; there is one."""
    return call(r.kernel.oldest, panes)


@inner
def youngest(r, panes):
    """Time of the youngest; there is one."""
    return call(r.kernel.youngest, panes)


@inner
def is_empty(r, panes):
    return call(r.kernel.is_empty, panes) == 1


@inner
def first_from(r, panes, time):
    """Time of the first at or after `time`, FOREVER if there is none."""
    return call(r.kernel.first_from, panes, time)


@inner
def count_between(r, panes, low, high):
    """How many lie in [low, high)."""
    return call(r.kernel.count_between, panes, low, high)


@inner
def copy_entries(r, panes, low, high, target):
    """Write an Entry of each of those in [low, high) to `target`."""
    call(r.kernel.copy_entries, panes, low, high, target)
