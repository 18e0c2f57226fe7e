"""Selective sweeping (SPANS §5.3.3, after Piatov and Helmer): events in order of start, and those at work by their end.

    events a [1, 7), b [3, 20), c [16, 18)     a b c in order of start; the sweep has come to 16, the end of a window
    at work by end     7: a   20: b            window [10, 16): all that end behind 10: b

A window's end moves the sweep on: events that start before it join those at work, from which a window asks all that end
behind its beginning. For aggregates that select one value (min, max), as the paper has it; no part is ever taken away.
A sweep doesn't go back: each cursor has its own, and who asks for an older window has all open events looked at.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np

from kernels.aggregators._arrays import words_of
from kernels.aggregators._dispatch import FOREVER, PointKernel
from kernels.monoids import AggregateSpec, AnyAggregate, find_monoid, in_words, those_with
from kernels.runtime.calls import ask, call
from kernels.runtime.fields import Address, Array, Count, Inline, Microseconds, Place, Ref
from kernels.runtime.memory import inner, not_inlined, release, resize
from kernels.runtime.struct import Struct, allocate
from kernels.runtime.tables import compiled_table
from kernels.spans._checking import events_between
from kernels.spans._dispatch import CURSORS, SpanKernel
from kernels.spans._sorted_events import (
    HEAD_WORDS,
    SortedEvents,
    add_event,
    drop_ended,
    drop_events,
    event_at,
    load_events,
    release_events,
    save_events,
)
from kernels.spans._sweeping import MIN_ARITY, SweepingWindow
from kernels.states import clear, merge
from kernels.states.layout import StatePlan
from kernels.states.state_plan import Plan
from kernels.windows._grid import Grid
from schemas.errors import NotServed


class Sweep(Struct):
    """Of one cursor: events before `place` started before `high`; at_work: those that haven't ended, by their end."""

    place: Place
    high: Microseconds
    at_work: Address


class SelectiveSweep(Struct):
    """least: how many events were left when those that had ended were dropped last; result: a state to answer with."""

    plan: Ref(StatePlan)
    tree: Ref(PointKernel)
    events: Inline(SortedEvents)
    sweeps: Array(Inline(Sweep), CURSORS)
    least: Count
    result: Address


def create(plan: StatePlan, window: Grid, tree: PointKernel):
    sweeping = allocate(SelectiveSweep)
    sweeping.plan, sweeping.tree = plan, tree
    sweeping.events.state_words = plan.state_words
    sweeping.result = resize(0, plan.state_words)
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        sweep.at_work, sweep.high = call(tree.create, plan, MIN_ARITY, 0), -FOREVER
    return sweeping.address


def destroy(sweeping: SelectiveSweep):
    for cursor in range(CURSORS):
        call(sweeping.tree.destroy, sweeping.sweeps[cursor].at_work)
    release_events(sweeping.events)
    release(sweeping.result)
    release(sweeping.address)


@inner
def _start_again(sweeping):
    """No sweep has come anywhere."""
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        call(sweeping.tree.reset, sweep.at_work)
        sweep.place, sweep.high = 0, -FOREVER


def reset(sweeping: SelectiveSweep):
    drop_events(sweeping.events)
    sweeping.least = 0
    _start_again(sweeping)


def insert_span(sweeping: SelectiveSweep, low, high, state):
    add_event(sweeping.events, low, high, state)
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        if low < sweep.high:
            call(sweeping.tree.insert, sweep.at_work, high, state, -1)
            sweep.place += 1


@inner
def _move_on(sweeping, sweep, high):
    """Events that start before `high` join those at work."""
    while sweep.place < sweeping.events.count and event_at(sweeping.events, sweep.place).low < high:
        event = event_at(sweeping.events, sweep.place)
        call(sweeping.tree.insert, sweep.at_work, event.high, event.state.address, -1)
        sweep.place += 1
    sweep.high = high


def state(sweeping: SelectiveSweep, cursor, low, high):
    sweep = sweeping.sweeps[cursor]
    if high < sweep.high:
        return _look_at_all(sweeping, low, high)
    _move_on(sweeping, sweep, high)
    clear(sweeping.plan, sweeping.result)
    call(sweeping.tree.append_range, sweep.at_work, low + 1, FOREVER, sweeping.result)
    return sweeping.result


@inner
def _look_at_all(sweeping, low, high):
    """O(events)."""
    not_inlined()
    clear(sweeping.plan, sweeping.result)
    place = 0
    while place < sweeping.events.count and event_at(sweeping.events, place).low < high:
        event = event_at(sweeping.events, place)
        if event.high > low:
            merge(sweeping.plan, sweeping.result, sweeping.result, event.state.address)
        place += 1
    return sweeping.result


def evict(sweeping: SelectiveSweep, time):
    """Events that ended are looked for once as many came as were left the last time: O(1) amortised."""
    for cursor in range(CURSORS):
        call(sweeping.tree.bulk_evict, sweeping.sweeps[cursor].at_work, time + 1)
    if sweeping.events.count < 2 * sweeping.least:
        return
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        sweep.place -= _ended_before(sweeping, sweep.place, time + 1)
    drop_ended(sweeping.events, time + 1)
    sweeping.least = sweeping.events.count


@inner
def _ended_before(sweeping, end, time):
    """How many of the events before a place ended by a time."""
    count = 0
    for place in range(end):
        count += 1 if event_at(sweeping.events, place).high <= time else 0
    return count


def is_empty(sweeping: SelectiveSweep):
    return sweeping.events.count == 0


def oldest(sweeping: SelectiveSweep):
    return event_at(sweeping.events, 0).low if sweeping.events.count > 0 else FOREVER


def first_from(sweeping: SelectiveSweep, time):
    """O(events that started by then)."""
    for place in range(sweeping.events.count):
        event = event_at(sweeping.events, place)
        if event.high > time:
            return max(event.low, time)
    return FOREVER


def save(sweeping: SelectiveSweep, into):
    return save_events(sweeping.events, into)


def load(sweeping: SelectiveSweep, saved, words):
    return load_events(sweeping.events, saved, words)


OPERATIONS = (create, destroy, reset, insert_span, state, evict, oldest, first_from, is_empty, save, load)


@cache
def dispatch() -> SpanKernel:
    """The table, compiled or loaded when it is first asked for."""
    return compiled_table(SpanKernel, "selective_sweeping", {each.__name__: each for each in OPERATIONS})


def check(address: int, plan: Plan) -> None:
    """O(events)."""
    sweeping = SelectiveSweep(address)
    events = sweeping.events
    words = words_of(events.first, events.count, HEAD_WORDS + plan.state_words)
    lows, highs = words[:, 0], words[:, 1]
    assert (np.diff(lows) >= 0).all(), "events: they stand in order of start"
    assert (lows < highs).all(), "events: each ends behind its start"
    for cursor in range(CURSORS):
        sweep = sweeping.sweeps[cursor]
        assert sweep.place == np.count_nonzero(lows < sweep.high), (
            f"place: of sweep {cursor}, behind those that started"
        )
        first = ask(sweeping.tree.oldest, sweep.at_work)
        held = events_between(sweeping.tree, sweep.at_work, first, FOREVER)
        counted = int(words[: sweep.place, HEAD_WORDS][highs[: sweep.place] >= first].sum())
        assert held == counted, f"at work: sweep {cursor} has {held} events of {counted} that end from {first} on"


class SelectiveSweeping(SweepingWindow):
    """With n events that are open, and d of them that start behind a new one: insert_span O(log n) and moving d, state
    O(log n) for each event that it moves on by, O(n) of an older window; evict O(log n) and O(1) amortised.

    Memory: the events that are open, and an entry of a finger tree for each of those at work.
    """

    dispatch, _check = staticmethod(dispatch), staticmethod(check)

    @classmethod
    def refuse(cls, specs: Sequence[AggregateSpec]) -> None:
        """NotServed for an aggregate that doesn't select."""
        super().refuse(specs)
        for spec in specs:
            if not _selects(find_monoid(spec)[1]):
                raise NotServed("aggregate of selective_sweeping", in_words(spec), those_with(_selects), spec.function)


def _selects(monoid: AnyAggregate) -> bool:
    return monoid.selective


KERNEL = SelectiveSweeping
