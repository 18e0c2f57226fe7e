"""Aggregate buckets (SPANS §5.3.3, a baseline): one state for each open window, to which each of its events is added.

windows of 15 by 5     [0, 15)  [5, 20)  [10, 25)       an event [7, 16) is added to all three; a window is answered
                          3        2         2           by its own state
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds import first_end_after, last_start_until, window_end
from windrow.kernels.bounds.grid import Grid
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.struct import allocate
from windrow.kernels.spans import _pages as pages
from windrow.kernels.spans._pages import SHARED, PagedSpans
from windrow.kernels.spans._window import SpanWindow, held_records
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import Plan


def create(plan: StatePlan, window: Grid, unused):
    buckets = allocate(PagedSpans)
    pages.start_records(buckets, plan, window, 1)
    return buckets.address


def insert_span(buckets: PagedSpans, low, high, state):
    for number in windows_of(buckets, low, high):
        pages.merge_into_record(buckets.pages, buckets.plan, number, 0, state)


@inner
def windows_of(buckets, low, high):
    """Numbers of the windows that [low, high) meets."""
    return range(first_end_after(buckets.window, low), last_start_until(buckets.window, high - 1) + 1)


def state(buckets: PagedSpans, cursor, low, high):
    at = pages.find_record(buckets.pages, last_start_until(buckets.window, low))
    return buckets.pages.blank if at == 0 else at


def evict(buckets: PagedSpans, time):
    pages.drop_before(buckets.pages, last_start_until(buckets.window, time) + 1)


def oldest(buckets: PagedSpans):
    return _last_time(buckets, pages.first_in_pages(buckets.pages, buckets.pages.first))


def first_from(buckets: PagedSpans, time):
    return _last_time(buckets, pages.first_record_from(buckets.pages, last_start_until(buckets.window, time - 1) + 1))


@inner
def _last_time(buckets, number):
    return FOREVER if number == FOREVER else window_end(buckets.window, number) - 1


def check(address: int, plan: Plan) -> None:
    """O(windows)."""
    for number, state in held_records(PagedSpans(address).pages):
        assert state[0] > 0, f"marks: window {number} has events"


class AggregateBuckets(SpanWindow):
    """insert_span O(windows that the event meets), state O(log windows), or O(1) for windows one after the other, evict
    O(windows).

    Memory: a state for each open window that has events.
    """

    OPERATIONS = (*SHARED, create, insert_span, state, evict, oldest, first_from)
    _check = staticmethod(check)


KERNEL = AggregateBuckets
