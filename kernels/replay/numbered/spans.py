"""Windows over events that last: a span kernel holds them (kernels/spans), and is asked for one window after the other.

    an event [7, 16)  ──insert_span──▶  slices, buckets or indexes  ──state──▶  windows [−5, 10), [0, 15), [5, 20) …

Of kernels with slices, what ends in the slices of a window comes by two stacks over them (walk.py), and the kernel
completes it.

Where windows count shares (semantics §2, `prorated`), an event is put in as an event without values, which is counted
once in each window, and in a piece for each pane that it meets, which has its share of the values and is no event:

    an event [7, 16) of 9, windows of 15 by 5     panes [5, 10)  [10, 15)  [15, 20)
                                                       3/9 · 9   5/9 · 9   1/9 · 9

Count, sum and mean can be asked of shares. These stand in one row of values more, of ones (EventColumns.shares), where
the replay writes what counts in a pane.
"""

import numpy as np

from windrow.kernels.bounds import first_end_after, last_start_until, window_end, window_start
from windrow.kernels.monoid import SHARE, AggregateSpec
from windrow.kernels.monoids import functions, monoids_of
from windrow.kernels.replay.context import Placement, Replay
from windrow.kernels.replay.numbered.changed import add_to_late_walks, note_live
from windrow.kernels.replay.numbered.points import end_of_run, pane_of
from windrow.kernels.replay.numbered.walk import Walk, add_to_walk, stand_at, walk_to
from windrow.kernels.replay.stop import must_stop_at
from windrow.kernels.replay.types import AggregatePlan, EventColumns
from windrow.kernels.runtime.memory import as_word, inner, not_inlined
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import clear, gather, set_events
from windrow.schemas.errors import NotServed, WrongParameter


def by_shares(spec: AggregateSpec, columns: int) -> AggregateSpec:
    """The same aggregate of shares, which stand behind so many columns of values. NotServed for one that says nothing
    of a part of an event."""
    if not _takes_shares(spec.function) or spec.second is not None:
        able = [each for each in functions() if _takes_shares(each)]
        raise NotServed("aggregate of prorated events", spec.function, able)
    return spec._replace(second=columns, second_type=SHARE)


def _takes_shares(function: str) -> bool:
    return any(SHARE in monoid.second_types for monoid in monoids_of(function).values())


def with_shares(columns: EventColumns, plan: AggregatePlan) -> EventColumns:
    """The columns, with the row of shares if the plan asks for them. WrongParameter for a plan of both kinds."""
    asking = [spec for spec in plan.aggregates if spec.second_type == SHARE]
    if not asking:
        return columns
    events, place = len(columns.start_us), len(columns.values)
    if columns.end_us is None or len(asking) < len(plan.aggregates) or any(spec.second != place for spec in asking):
        raise WrongParameter(
            "aggregates", plan.aggregates, f"of shares, all or none, column {place}, of events that last"
        )
    values = np.vstack((columns.values, np.full((1, events), as_word(1.0), np.int64)))
    valid = np.vstack((columns.valid, np.ones((1, events), np.bool_)))
    return columns._replace(values=values, valid=valid, shares=values[place])


def take(r: Replay, row):
    """An event that lasts is in all windows from the first that ends after its start to the last that starts before
    its end; those that are not final yet get it."""
    window, clock, start = r.window, r.clock, r.events.starts[row]
    end = max(r.events.ends[row], start + 1)
    first, last = first_end_after(window, start), last_start_until(window, end - 1)
    if first > last or window_end(window, last) <= clock.floor:
        return
    is_late = window_end(window, first) <= clock.watermark
    first = max(first, first_end_after(window, clock.floor))
    low = max(start, window_start(window, first))
    if r.events.shares.address == 0:
        gather(r.plan, r.state, r.events.columns, row, row + 1)
        _insert(r, low, end, is_late)
    else:
        _insert_shares(r, row, low, end, is_late)
    note_live(r, first, last, is_late, row)


@inner
def _insert(r, low, high, is_late):
    """What the state at hand says of [low, high)."""
    r.spans.insert_span(r.structure, low, high, r.state)
    if r.kernel.address != 0:
        add_to_walk(r, r.numbered.changing, high - 1)
        if is_late:
            add_to_late_walks(r, high - 1)


@inner
def _insert_shares(r, row, low, end, is_late):
    """The event, from `low` on, in pieces. O(panes that it meets)."""
    not_inlined()
    length = end - r.events.starts[row]
    clear(r.plan, r.state)
    set_events(r.state, 1)
    _insert(r, low, end, is_late)
    pieces = 0
    while low < end and not must_stop_at(r.stop, pieces):
        high = min(end, pane_of(r, low).high)
        r.events.shares[row] = as_word((high - low) / length)
        gather(r.plan, r.state, r.events.columns, row, row + 1)
        set_events(r.state, 0)
        _insert(r, low, high, is_late)
        low = high
        pieces += 1


def take_run(r: Replay, first, end):
    """Events from `first` on that begin and end in one slice before the watermark next moves, all of them in time: one
    insertion."""
    row = end_of_run(r, r.events.ends, first, end)
    if row > first:
        gather(r.plan, r.state, r.events.columns, first, row)
        r.spans.insert_span(r.structure, r.numbered.pane.low, r.numbered.pane.high, r.state)
    return row


def window_state(r: Replay, walk: Walk, number):
    if r.kernel.address == 0:
        stand_at(r, walk, number)  # each walk asks for windows of its own, one after the other
        return r.spans.state(r.structure, walk.cursor, walk.low, walk.high)
    state = walk_to(r, walk, number, False)
    return r.spans.complete(r.structure, walk.low, walk.high, state)


span_placement = lazy_table(Placement, "span_placement", take, take_run, window_state)
