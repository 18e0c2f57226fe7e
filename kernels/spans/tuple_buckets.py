"""Tuple buckets (SPANS §5.3.3, a baseline): each open window keeps its own list of events, and folds it when asked.

windows of 15 by 5     [0, 15)  [5, 20)  [10, 25)       an event d of [7, 16) joins all three lists
                         a b d    b d      c d
"""

from functools import cache

from kernels.runtime.counted import are_there
from kernels.runtime.fields import Address, Count
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from kernels.runtime.struct import Struct, allocate, words_at
from kernels.runtime.tables import compiled_table
from kernels.spans._buckets import SHARED, Buckets, number_at, windows_of
from kernels.spans._checking import check_tuple_buckets
from kernels.spans._dispatch import SpanKernel
from kernels.spans._pages import (
    FIRST_NUMBER,
    drop_all,
    drop_before,
    find_record,
    first_record_from,
    record_to_write,
    release_pages,
)
from kernels.spans._window import SpanWindow
from kernels.states import clear, copy_words, fold
from kernels.states.layout import StatePlan
from kernels.windows._grid import Grid

LEAST_ROOM = 8


class TupleBuckets(Buckets):
    """A record a window: its list. result: a state to be answered with."""

    result: Address


class EventList(Struct):
    """States of events, `count` of them at `first`, with room for more."""

    count: Count
    room: Count
    first: Address


LIST_BYTES = EventList.size_bytes


def create(plan: StatePlan, window: Grid, unused):
    buckets = allocate(TupleBuckets)
    buckets.plan, buckets.window = plan, window
    buckets.pages.record_bytes = LIST_BYTES
    buckets.pages.blank = allocate(EventList).address
    buckets.result = resize(0, plan.state_words)
    return buckets.address


def destroy(buckets: TupleBuckets):
    _release_before(buckets, -FIRST_NUMBER)
    release_pages(buckets.pages)
    release(buckets.pages.blank)
    release(buckets.result)
    release(buckets.address)


@inner
def _release_before(buckets, end):
    """The lists of windows below a number are given back."""
    number = first_record_from(buckets.pages, FIRST_NUMBER)
    while number < end:
        release(EventList(find_record(buckets.pages, number)).first)
        number = first_record_from(buckets.pages, number + 1)


def reset(buckets: TupleBuckets):
    _release_before(buckets, -FIRST_NUMBER)
    drop_all(buckets.pages)


def insert_span(buckets: TupleBuckets, low, high, state):
    first, last = windows_of(buckets, low, high)
    words = buckets.plan.state_words
    for number in range(first, last + 1):
        copy_words(_next_of(EventList(record_to_write(buckets.pages, number)), words), state, words)


@inner
def _next_of(events, words):
    """Where the next event of a list goes."""
    if events.count == events.room:
        _make_room(events, words)
    events.count += 1
    return events.first + WORD_BYTES * words * (events.count - 1)


@inner
def _make_room(events, words):
    not_inlined()
    events.room = max(LEAST_ROOM, 2 * events.room)
    events.first = resize(events.first, events.room * words)


def state(buckets: TupleBuckets, cursor, low, high):
    clear(buckets.plan, buckets.result)
    at = find_record(buckets.pages, number_at(buckets, low))
    if at != 0:
        events = EventList(at)
        fold(buckets.plan, buckets.result, events.first, WORD_BYTES * buckets.plan.state_words, events.count)
    return buckets.result


def evict(buckets: TupleBuckets, time):
    number = number_at(buckets, time) + 1
    _release_before(buckets, number)
    drop_before(buckets.pages, number)


def save(buckets: TupleBuckets, into):
    """[windows][number · events · states] …"""
    windows, at, words = 0, 1, buckets.plan.state_words
    number = first_record_from(buckets.pages, FIRST_NUMBER)
    while number < -FIRST_NUMBER:
        events = EventList(find_record(buckets.pages, number))
        if into != 0:
            words_at(into)[at], words_at(into)[at + 1] = number, events.count
            copy_words(into + WORD_BYTES * (at + 2), events.first, events.count * words)
        windows, at = windows + 1, at + 2 + events.count * words
        number = first_record_from(buckets.pages, number + 1)
    if into != 0:
        words_at(into)[0] = windows
    return at


def load(buckets: TupleBuckets, saved, there):
    at, words = 1, buckets.plan.state_words
    if not are_there(saved, there, 2 + words):
        return False
    for _ in range(words_at(saved)[0]):
        if there < at + 2 or not are_there(saved + WORD_BYTES * (at + 1), there - at - 1, words):
            return False
        number, count = words_at(saved)[at], words_at(saved)[at + 1]
        events = EventList(record_to_write(buckets.pages, number))
        events.count = events.room = count
        events.first = resize(0, count * words)
        copy_words(events.first, saved + WORD_BYTES * (at + 2), count * words)
        at += 2 + count * words
    return at == there


@cache
def dispatch() -> SpanKernel:
    """The table, compiled or loaded when it is first asked for."""
    own = {each.__name__: each for each in (create, destroy, reset, insert_span, state, evict, save, load)}
    return compiled_table(SpanKernel, "tuple_buckets", SHARED | own)


class TupleBucketsWindow(SpanWindow):
    """insert_span O(windows that it meets), state O(events of the window), evict O(windows).

    Memory: a state for each event in each open window.
    """

    dispatch, _check = staticmethod(dispatch), staticmethod(check_tuple_buckets)


KERNEL = TupleBucketsWindow
