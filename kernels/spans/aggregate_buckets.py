"""Aggregate buckets (SPANS §5.3.3, a baseline): one state for each open window, to which each of its events is added.

windows of 15 by 5     [0, 15)  [5, 20)  [10, 25)       an event [7, 16) is added to all three; a window is answered
                          3        2         2           by its own state
"""

from functools import cache

from kernels.runtime.memory import WORD_BYTES, release, resize
from kernels.runtime.struct import allocate
from kernels.runtime.tables import compiled_table
from kernels.spans._buckets import SHARED, Buckets, number_at, windows_of
from kernels.spans._checking import check_aggregate_buckets
from kernels.spans._dispatch import SpanKernel
from kernels.spans._pages import drop_all, drop_before, find_record, merge_into_record, release_pages
from kernels.spans._saving import load_pages, save_pages
from kernels.spans._window import SpanWindow
from kernels.states import clear
from kernels.states.layout import StatePlan
from kernels.windows._grid import Grid


def create(plan: StatePlan, window: Grid, unused):
    buckets = allocate(Buckets)
    buckets.plan, buckets.window = plan, window
    buckets.pages.record_bytes = WORD_BYTES * plan.state_words
    buckets.pages.blank = resize(0, plan.state_words)
    clear(plan, buckets.pages.blank)
    return buckets.address


def destroy(buckets: Buckets):
    release_pages(buckets.pages)
    release(buckets.pages.blank)
    release(buckets.address)


def reset(buckets: Buckets):
    drop_all(buckets.pages)


def insert_span(buckets: Buckets, low, high, state):
    first, last = windows_of(buckets, low, high)
    for number in range(first, last + 1):
        merge_into_record(buckets.pages, buckets.plan, number, 0, state)


def state(buckets: Buckets, cursor, low, high):
    at = find_record(buckets.pages, number_at(buckets, low))
    return buckets.pages.blank if at == 0 else at


def evict(buckets: Buckets, time):
    drop_before(buckets.pages, number_at(buckets, time) + 1)


def save(buckets: Buckets, into):
    return save_pages(buckets.pages, into)


def load(buckets: Buckets, saved, words):
    return load_pages(buckets.pages, saved, words)


@cache
def dispatch() -> SpanKernel:
    """The table, compiled or loaded when it is first asked for."""
    own = {each.__name__: each for each in (create, destroy, reset, insert_span, state, evict, save, load)}
    return compiled_table(SpanKernel, "aggregate_buckets", SHARED | own)


class AggregateBuckets(SpanWindow):
    """insert_span O(windows that it meets), state O(log windows), O(1) of one behind the other; evict O(windows).

    Memory: a state for each open window that has events.
    """

    dispatch, _check = staticmethod(dispatch), staticmethod(check_aggregate_buckets)


KERNEL = AggregateBuckets
