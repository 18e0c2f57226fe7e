"""Tuple buckets (SPANS §5.3.3, a baseline): each open window keeps its own list of events, and folds it when asked.

windows of 15 by 5     [0, 15)  [5, 20)  [10, 25)       an event d of [7, 16) joins all three lists
                         a b d    b d      c d
"""

from windrow.kernels.bounds import last_start_until
from windrow.kernels.bounds.grid import Grid
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.runtime.counted import are_there
from windrow.kernels.runtime.growing import GrowingList, append, release_list
from windrow.kernels.runtime.memory import WORD_BYTES, inner, resize
from windrow.kernels.runtime.struct import allocate, words_at
from windrow.kernels.spans import _pages as pages
from windrow.kernels.spans._pages import PagedSpans
from windrow.kernels.spans._window import held_records
from windrow.kernels.spans.aggregate_buckets import AggregateBuckets, windows_of
from windrow.kernels.states import clear, copy_words, fold
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import Plan

LIST_BYTES = GrowingList.size_bytes
"""The record of a window: a list of the states of its events."""


def create(plan: StatePlan, window: Grid, unused):
    buckets = allocate(PagedSpans)
    buckets.plan, buckets.window = plan, window
    buckets.pages.record_bytes = LIST_BYTES
    buckets.pages.blank = allocate(GrowingList).address
    buckets.result = resize(0, plan.state_words)
    return buckets.address


def destroy(buckets: PagedSpans):
    _release_before(buckets, -pages.FIRST_NUMBER)
    pages.destroy(buckets)


@inner
def _release_before(buckets, end):
    """Of windows below a number."""
    number = pages.first_record_from(buckets.pages, pages.FIRST_NUMBER)
    while number < end:
        release_list(pages.find_record(buckets.pages, number))
        number = pages.first_record_from(buckets.pages, number + 1)


def reset(buckets: PagedSpans):
    _release_before(buckets, -pages.FIRST_NUMBER)
    pages.drop_all(buckets.pages)


def insert_span(buckets: PagedSpans, low, high, state):
    words = buckets.plan.state_words
    for number in windows_of(buckets, low, high):
        copy_words(append(pages.record_to_write(buckets.pages, number), words), state, words)


def state(buckets: PagedSpans, cursor, low, high):
    clear(buckets.plan, buckets.result)
    at, words = pages.find_record(buckets.pages, last_start_until(buckets.window, low)), buckets.plan.state_words
    if at != 0:
        events = GrowingList(at)
        fold(buckets.plan, buckets.result, events.first, WORD_BYTES * words, events.used // words)
    return buckets.result


def evict(buckets: PagedSpans, time):
    number = last_start_until(buckets.window, time) + 1
    _release_before(buckets, number)
    pages.drop_before(buckets.pages, number)


def save(buckets: PagedSpans, into):
    """[windows][number · events · states] …"""
    windows, at, words = 0, 1, buckets.plan.state_words
    number = pages.first_record_from(buckets.pages, pages.FIRST_NUMBER)
    while number < -pages.FIRST_NUMBER:
        events = GrowingList(pages.find_record(buckets.pages, number))
        if into != 0:
            words_at(into)[at], words_at(into)[at + 1] = number, events.used // words
            copy_words(into + WORD_BYTES * (at + 2), events.first, events.used)
        windows, at = windows + 1, at + 2 + events.used
        number = pages.first_record_from(buckets.pages, number + 1)
    if into != 0:
        words_at(into)[0] = windows
    return at


def load(buckets: PagedSpans, saved, there):
    at, words = 1, buckets.plan.state_words
    if not are_there(saved, there, 2 + words):
        return False
    for _ in range(words_at(saved)[0]):
        if there < at + 2 or not are_there(saved + WORD_BYTES * (at + 1), there - at - 1, words):
            return False
        events, used = pages.record_to_write(buckets.pages, words_at(saved)[at]), words_at(saved)[at + 1] * words
        copy_words(append(events, used), saved + WORD_BYTES * (at + 2), used)
        at += 2 + used
    return at == there


def check(address: int, plan: Plan) -> None:
    """O(events of all windows)."""
    for number, (first, used, room) in held_records(PagedSpans(address).pages):
        assert 0 < used <= room, f"room: window {number} has some of its {used} words beyond its room, or none"
        states = words_of(int(first), int(used) // plan.state_words, plan.state_words)
        assert (states[:, 0] > 0).all(), f"states: each of window {number} counts its event"


class TupleBucketsWindow(AggregateBuckets):
    """insert_span O(windows that the event meets), state O(events of the window), evict O(windows).

    Memory: a state for each event in each open window.
    """

    OPERATIONS = (*AggregateBuckets.OPERATIONS, create, destroy, reset, insert_span, state, evict, save, load)
    _check = staticmethod(check)


KERNEL = TupleBucketsWindow
