"""Selective sweeping (SPANS §5.3.3, after Piatov and Helmer): events in order of start, and those at work by their end.

    events a [1, 7), b [3, 20), c [16, 18)     a b c in order of start; the sweep has come to 16, the end of a window
    at work by end     7: a   20: b            window [10, 16): all that end behind 10: b

A window's end moves the sweep on: events that start before this end join the events at work. A window takes the events
at work that end after its beginning. As in the paper, this serves aggregates that select one value (min, max): no part
is ever taken away. A sweep doesn't go back: each cursor has a sweep of its own, and a query of an older window looks at
all open events.
"""

from operator import attrgetter

import numpy as np

from windrow.kernels.aggregators._dispatch import FOREVER, PointKernel
from windrow.kernels.bounds.grid import Grid
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.runtime.bisection import searches
from windrow.kernels.runtime.counted import are_there
from windrow.kernels.runtime.fields import Address, Array, Count, Inline, Microseconds, Place, Ref, Tail, Word, Words
from windrow.kernels.runtime.growing import GrowingList, append, release_list
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined, release, resize
from windrow.kernels.runtime.struct import Struct, allocate, words_at
from windrow.kernels.spans._dispatch import CURSORS, KeySpans
from windrow.kernels.spans.cumulative_sweeping import INDEX_ARITY, SweepingWindow, events_between
from windrow.kernels.states import clear, copy_words, merge
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import Plan


class SpanEvent(Struct):
    """An event of [low, high)."""

    low: Microseconds
    high: Microseconds
    state: Tail(Word)


HEAD_WORDS = SpanEvent.size_bytes // WORD_BYTES


class Sweep(Struct):
    """Of one cursor: events before `place` started before `high`; at_work: those that haven't ended, by their end."""

    place: Place
    high: Microseconds
    at_work: Address


class SelectiveSweep(KeySpans):
    """events: in order of start; least: how many were left when those that had ended were dropped last."""

    tree: Ref(PointKernel)
    events: Inline(GrowingList)
    count: Count
    event_words: Words
    sweeps: Array(Inline(Sweep), CURSORS)
    least: Count


def create(plan: StatePlan, window: Grid, tree: PointKernel):
    sweeping = allocate(SelectiveSweep)
    sweeping.plan, sweeping.tree, sweeping.event_words = plan, tree, HEAD_WORDS + plan.state_words
    sweeping.result = resize(0, plan.state_words)
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        sweep.at_work, sweep.high = tree.create(plan, INDEX_ARITY, 0), -FOREVER
    return sweeping.address


def destroy(sweeping: SelectiveSweep):
    for cursor in range(CURSORS):
        sweeping.tree.destroy(sweeping.sweeps[cursor].at_work)
    release_list(sweeping.events)
    release(sweeping.result)
    release(sweeping.address)


def reset(sweeping: SelectiveSweep):
    sweeping.events.used = sweeping.count = sweeping.least = 0
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        sweeping.tree.reset(sweep.at_work)
        sweep.place, sweep.high = 0, -FOREVER


def insert_span(sweeping: SelectiveSweep, low, high, state):
    _add_event(sweeping, low, high, state)
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        if low < sweep.high:
            sweeping.tree.insert(sweep.at_work, high, state, -1)
            sweep.place += 1


@inner
def _add_event(sweeping, low, high, state):
    """Behind those that start no later. O(log distance), and moving those that start later."""
    append(sweeping.events, sweeping.event_words)
    place = _place_behind(sweeping, 0, sweeping.count, low)
    event = _event_at(sweeping, place)
    move(_event_at(sweeping, place + 1).address, event.address, (sweeping.count - place) * sweeping.event_words)
    event.low, event.high = low, high
    copy_words(event.state.address, state, sweeping.plan.state_words)
    sweeping.count += 1


@inner
def _event_at(sweeping, place):
    return SpanEvent(sweeping.events.first + WORD_BYTES * sweeping.event_words * place)


@inner
def _starts_by(sweeping, place, low):
    return _event_at(sweeping, place).low <= low


_place_behind = searches("sorted_events", _starts_by).gallop_back


def state(sweeping: SelectiveSweep, cursor, low, high):
    sweep = sweeping.sweeps[cursor]
    if high < sweep.high:
        return _look_at_all(sweeping, low, high)
    while sweep.place < sweeping.count and _event_at(sweeping, sweep.place).low < high:
        event = _event_at(sweeping, sweep.place)
        sweeping.tree.insert(sweep.at_work, event.high, event.state.address, -1)
        sweep.place += 1
    sweep.high = high
    clear(sweeping.plan, sweeping.result)
    sweeping.tree.append_range(sweep.at_work, low + 1, FOREVER, sweeping.result)
    return sweeping.result


@inner
def _look_at_all(sweeping, low, high):
    """O(events)."""
    not_inlined()
    clear(sweeping.plan, sweeping.result)
    place = 0
    while place < sweeping.count and _event_at(sweeping, place).low < high:
        event = _event_at(sweeping, place)
        if event.high > low:
            merge(sweeping.plan, sweeping.result, sweeping.result, event.state.address)
        place += 1
    return sweeping.result


def evict(sweeping: SelectiveSweep, time):
    """Events that ended are looked for once as many came as were left the last time: O(1) amortised."""
    for cursor in range(CURSORS):
        sweeping.tree.bulk_evict(sweeping.sweeps[cursor].at_work, time + 1)
    if sweeping.count < 2 * sweeping.least:
        return
    kept = 0
    for place in range(sweeping.count):
        if _event_at(sweeping, place).high > time + 1:
            copy_words(_event_at(sweeping, kept).address, _event_at(sweeping, place).address, sweeping.event_words)
            kept += 1
        for cursor in range(CURSORS):
            if sweeping.sweeps[cursor].place == place + 1:
                sweeping.sweeps[cursor].place = kept
    sweeping.count = sweeping.least = kept
    sweeping.events.used = kept * sweeping.event_words


def is_empty(sweeping: SelectiveSweep):
    return sweeping.count == 0


def oldest(sweeping: SelectiveSweep):
    return _event_at(sweeping, 0).low if sweeping.count > 0 else FOREVER


def first_from(sweeping: SelectiveSweep, time):
    """O(events that started by then)."""
    for place in range(sweeping.count):
        event = _event_at(sweeping, place)
        if event.high > time:
            return max(event.low, time)
    return FOREVER


def save(sweeping: SelectiveSweep, into):
    """[events][low · high · state] …"""
    words = sweeping.count * sweeping.event_words
    if into != 0:
        words_at(into)[0] = sweeping.count
        copy_words(into + WORD_BYTES, sweeping.events.first, words)
    return 1 + words


def load(sweeping: SelectiveSweep, saved, there):
    words = sweeping.event_words
    if not are_there(saved, there, words) or 1 + words_at(saved)[0] * words != there:
        return False
    for place in range(words_at(saved)[0]):
        event = SpanEvent(saved + WORD_BYTES * (1 + place * words))
        _add_event(sweeping, event.low, event.high, event.state.address)
    return True


def check(address: int, plan: Plan) -> None:
    """O(events)."""
    sweeping = SelectiveSweep(address)
    words = words_of(sweeping.events.first, sweeping.count, HEAD_WORDS + plan.state_words)
    lows, highs = words[:, 0], words[:, 1]
    assert (np.diff(lows) >= 0).all(), "events: they stand in order of start"
    assert (lows < highs).all(), "events: each ends behind its start"
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        assert sweep.place == np.count_nonzero(lows < sweep.high), (
            f"place: of sweep {cursor}, behind those that started"
        )
        first = sweeping.tree.oldest(sweep.at_work)
        held = events_between(sweeping.tree, sweep.at_work, first, FOREVER)
        counted = int(words[: sweep.place, HEAD_WORDS][highs[: sweep.place] >= first].sum())
        assert held == counted, f"at work: sweep {cursor} has {held} events of {counted} that end from {first} on"


class SelectiveSweeping(SweepingWindow):
    """With n open events, d of which start after a new one: insert_span O(log n) and moving d events, state O(log n)
    for each event by which the sweep moves on, or O(n) for an older window, evict O(log n) and O(1) amortised.

    Memory: the open events, and an entry of a finger tree for each event at work.
    """

    OPERATIONS = (create, destroy, reset, insert_span, state, evict, oldest, first_from, is_empty, save, load)
    SERVES, _check = attrgetter("selective"), staticmethod(check)


KERNEL = SelectiveSweeping
