"""Tuple buckets (SPANS §5.3.3, a baseline): each open window keeps its own list of events, and folds it when asked.

windows of 15 by 5     [0, 15)  [5, 20)  [10, 25)       an event d of [7, 16) joins all three lists
                         a b d    b d      c d
"""

from kernels.bounds import last_start_until
from kernels.bounds.grid import Grid
from kernels.runtime.arrays import words_of
from kernels.runtime.counted import are_there
from kernels.runtime.fields import Address, Count
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from kernels.runtime.struct import Struct, allocate, words_at
from kernels.spans import _pages as pages
from kernels.spans._pages import PagedSpans
from kernels.spans._window import held_records
from kernels.spans.aggregate_buckets import AggregateBuckets, windows_of
from kernels.states import clear, copy_words, fold
from kernels.states.layout import StatePlan
from kernels.states.state_plan import Plan

LEAST_ROOM = 8


class EventList(Struct):
    """The record of a window: states of its events, `count` of them at `first`, with room for more."""

    count: Count
    room: Count
    first: Address


LIST_BYTES = EventList.size_bytes


def create(plan: StatePlan, window: Grid, unused):
    buckets = allocate(PagedSpans)
    buckets.plan, buckets.window = plan, window
    buckets.pages.record_bytes = LIST_BYTES
    buckets.pages.blank = allocate(EventList).address
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
        release(EventList(pages.find_record(buckets.pages, number)).first)
        number = pages.first_record_from(buckets.pages, number + 1)


def reset(buckets: PagedSpans):
    _release_before(buckets, -pages.FIRST_NUMBER)
    pages.drop_all(buckets.pages)


def insert_span(buckets: PagedSpans, low, high, state):
    words = buckets.plan.state_words
    for number in windows_of(buckets, low, high):
        events = EventList(pages.record_to_write(buckets.pages, number))
        if events.count == events.room:
            _make_room(events, words)
        copy_words(events.first + WORD_BYTES * words * events.count, state, words)
        events.count += 1


@inner
def _make_room(events, words):
    not_inlined()
    events.room = max(LEAST_ROOM, 2 * events.room)
    events.first = resize(events.first, events.room * words)


def state(buckets: PagedSpans, cursor, low, high):
    clear(buckets.plan, buckets.result)
    at = pages.find_record(buckets.pages, last_start_until(buckets.window, low))
    if at != 0:
        events = EventList(at)
        fold(buckets.plan, buckets.result, events.first, WORD_BYTES * buckets.plan.state_words, events.count)
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
        events = EventList(pages.find_record(buckets.pages, number))
        if into != 0:
            words_at(into)[at], words_at(into)[at + 1] = number, events.count
            copy_words(into + WORD_BYTES * (at + 2), events.first, events.count * words)
        windows, at = windows + 1, at + 2 + events.count * words
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
        number, count = words_at(saved)[at], words_at(saved)[at + 1]
        events = EventList(pages.record_to_write(buckets.pages, number))
        events.count = events.room = count
        events.first = resize(0, count * words)
        copy_words(events.first, saved + WORD_BYTES * (at + 2), count * words)
        at += 2 + count * words
    return at == there


def check(address: int, plan: Plan) -> None:
    """O(events of all windows)."""
    for number, (count, room, first) in held_records(PagedSpans(address).pages):
        assert 0 < count <= room, f"room: window {number} has some of its {count} events beyond its room, or none"
        states = words_of(int(first), int(count), plan.state_words)
        assert (states[:, 0] > 0).all(), f"states: each of window {number} counts its event"


class TupleBucketsWindow(AggregateBuckets):
    """insert_span O(windows that it meets), state O(events of the window), evict O(windows).

    Memory: a state for each event in each open window.
    """

    OPERATIONS = (*AggregateBuckets.OPERATIONS, create, destroy, reset, insert_span, state, evict, save, load)
    _check = staticmethod(check)


KERNEL = TupleBucketsWindow
