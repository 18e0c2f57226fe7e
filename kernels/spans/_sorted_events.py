"""Events in order of start, side by side: [low · high · state][low · high · state] …"""

from kernels.runtime.bisection import searches
from kernels.runtime.counted import are_there
from kernels.runtime.fields import Address, Count, Microseconds, Tail, Word, Words
from kernels.runtime.memory import WORD_BYTES, inner, move, release, resize
from kernels.runtime.struct import Struct, words_at
from kernels.states import copy_words

LEAST_ROOM = 16


class SpanEvent(Struct):
    """An event of [low, high)."""

    low: Microseconds
    high: Microseconds
    state: Tail(Word)


HEAD_WORDS = SpanEvent.size_bytes // WORD_BYTES


class SortedEvents(Struct):
    """`count` of them at `first`, with room for more."""

    state_words: Words
    count: Count
    room: Count
    first: Address


@inner
def event_words(events):
    """Of one event."""
    return HEAD_WORDS + events.state_words


@inner
def event_at(events, place):
    """The event at a place."""
    return SpanEvent(events.first + WORD_BYTES * event_words(events) * place)


@inner
def _starts_by(events, place, low):
    return event_at(events, place).low <= low


_place_behind = searches("sorted_events", _starts_by).gallop_back


@inner
def add_event(events, low, high, state):
    """Behind those that start no later. O(log distance), and moving those that start later."""
    if events.count == events.room:
        events.room = max(LEAST_ROOM, 2 * events.room)
        events.first = resize(events.first, events.room * event_words(events))
    place = _place_behind(events, 0, events.count, low)
    event = event_at(events, place)
    move(event_at(events, place + 1).address, event.address, (events.count - place) * event_words(events))
    event.low, event.high = low, high
    copy_words(event.state.address, state, events.state_words)
    events.count += 1


@inner
def drop_ended(events, time):
    """Those that end by a time go. O(events)."""
    kept = 0
    for place in range(events.count):
        if event_at(events, place).high > time:
            copy_words(event_at(events, kept).address, event_at(events, place).address, event_words(events))
            kept += 1
    events.count = kept


@inner
def drop_events(events):
    """All of them."""
    events.count = 0


@inner
def release_events(events):
    """Give the memory back."""
    if events.room > 0:
        release(events.first)
    events.room = events.count = 0


@inner
def save_events(events, into):
    """[events][low · high · state] …: their words, written unless `into` is 0."""
    words = events.count * event_words(events)
    if into != 0:
        words_at(into)[0] = events.count
        copy_words(into + WORD_BYTES, events.first, words)
    return 1 + words


@inner
def load_events(events, saved, words):
    """An empty one gets those that were saved. Whether they are what stands in so many words."""
    if not are_there(saved, words, event_words(events)) or 1 + words_at(saved)[0] * event_words(events) != words:
        return False
    for place in range(words_at(saved)[0]):
        event = SpanEvent(saved + WORD_BYTES * (1 + place * event_words(events)))
        add_event(events, event.low, event.high, event.state.address)
    return True
