"""Rows from a tick on, made from states of panes and the events behind them, are those that all events make."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.semantics.test_carried_state import validated
from tests.support.semantics.generate import AGGREGATES, Question, questions
from tests.support.semantics.queries import HOUR, ask
from tests.support.semantics.searching import search_until_nothing_is_missing
from tests.support.semantics.spec_tables import events, table
from windrow.kernels.api import PassTicks
from windrow.pipelines.replay.events_by_key import QueryEvents
from windrow.pipelines.replay.kept_panes import PaneRows, panes_of
from windrow.pipelines.replay.replay_events import replay_events
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.rows.arrays import TIME, stored
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.query import agg, rolling, tumbling

KINDS = ("tumbling", "sliding", "calendar")
FEATURES = {"revised", "late", "null key", "no key", "several days", "only panes", *KINDS, "final", "watermark"}
FEATURES |= {"other rows of panes that reach too far"}
COMMUTING = {name: each for name, each in AGGREGATES.items() if not name.startswith("hub_m")}


def kept_until_us(ticks: PassTicks, allowed_us: int, tick_us: int) -> int:
    """The latest tick before which no window was passed that can have rows from `tick_us` on."""
    newest = [us for tick, us in zip(ticks.tick_us, ticks.newest_start_us, strict=True) if tick < tick_us]
    if not newest:
        return tick_us
    passed = ticks.newest_start_us > newest[-1] - allowed_us
    return min(tick_us, int(ticks.tick_us[passed][0])) if passed.any() else tick_us


def days_of(ours: pa.Table, from_us: int, edges: list[int]) -> list[pa.Table]:
    """What arrived before, cut at the edges into days."""
    arrived = stored(ours["arrival"])
    bounds = [-(1 << 62), *sorted(each for each in edges if each < from_us), from_us]
    return [
        ours.filter(pa.array((arrived >= low) & (arrived < high)))
        for low, high in zip(bounds, bounds[1:], strict=False)
    ]


@pytest.mark.slow  # it takes many questions until each feature came in one
@pytest.mark.takes(60)
def test_panes_of_earlier_days_and_the_events_behind_them_make_the_rows_of_all_events():
    reached = Counter()

    @given(questions(KINDS), st.floats(0, 1), st.lists(st.floats(0, 1), max_size=3), st.booleans())
    def ask_twice(question: Question, share: float, cuts: list[float], is_final: bool) -> None:
        kept = {name: each for name, each in question.query.aggregates.items() if name in COMMUTING}
        query = replace(question.query, aggregates=kept, emit="final" if is_final else "watermark")
        ours, ticks = validated(question.table, query)
        arrivals = np.unique(stored(ours["arrival"]))
        if not len(arrivals):
            return
        places = [int(each * (len(arrivals) - 1)) for each in (share, *cuts)]
        tick_us, *edges = (int(arrivals[place]) for place in places)
        served, last = ServedQuery.of(query), int(arrivals[-1]) if question.complete else None
        rules = served.rules(last)._replace(rows_from_us=tick_us)
        whole = replay_events(QueryEvents.of(ours, query), [served], ticks, rules).rows
        from_us = kept_until_us(ticks, rules.allowed_us, tick_us)

        def by_panes(until_us: int) -> pa.Table:
            panes = pa.concat_tables([panes_of(each, served) for each in days_of(ours, until_us, edges)])
            behind = ours.filter(pc.greater_equal(ours["arrival"], pa.scalar(until_us, TIME)))
            found = replay_events(QueryEvents.of(behind, query, PaneRows(panes, until_us)), [served], ticks, rules).rows
            reached.update(features(question, query, found, panes, behind))
            return found

        assert by_panes(from_us).equals(whole)
        if from_us < tick_us and not by_panes(tick_us).equals(whole):
            reached["other rows of panes that reach too far"] += 1

    search_until_nothing_is_missing(ask_twice, lambda: FEATURES - set(reached))


def features(question, query, found, panes, behind):
    rows = found.to_pylist()
    if rows and len(panes):
        yield query.window.kind if query.window.zone is None else "calendar"
        yield query.emit
        yield from ("revised" for row in rows if row["revision"])
        yield from ("late" for row in rows if row["late_events"])
        yield "several days" if len(panes) > 1 else "one"
        yield from ("null key" for row in rows if any(row[name] is None for name in query.key))
        yield "no key" if not query.key else "key"
        keys = {tuple(row[name] for name in query.key) for row in behind.to_pylist()}
        yield from ("only panes" for row in rows if tuple(row[name] for name in query.key) not in keys)


EVENTS = """
    key | start | arrival | value
    a   | 10:00 | 10:00   | 1
    a   | 10:20 | 10:20   | 2
"""


@pytest.mark.parametrize(
    ("query", "wrong"),
    [
        (ask(rolling(HOUR)), WrongParameter),
        (ask(tumbling(HOUR), "arrival"), WrongParameter),
        (ask(tumbling(HOUR), aggregates={"first": agg("first", "value")}), WrongParameter),
        (ask(tumbling(HOUR), aggregates={"n": agg("count"), "total": agg("max", "value")}), BadInput),
    ],
    ids=["kind", "emit", "order", "words"],
)
def test_panes_that_no_rows_can_be_made_from_are_refused(query, wrong):
    simple = ask(tumbling(HOUR), aggregates={"n": agg("count")})
    panes = PaneRows(panes_of(validated(table(events(EVENTS)), simple)[0], ServedQuery.of(simple)), 1 << 60)
    ours, ticks = validated(table(events(EVENTS)), query)
    with pytest.raises(wrong, match="panes"):
        replay_events(QueryEvents.of(ours.slice(0, 0), query, panes), [ServedQuery.of(query)], ticks)


def test_an_event_that_is_in_panes_already_is_refused():
    query = ask(tumbling(HOUR))
    ours, ticks = validated(table(events(EVENTS)), query)
    panes = PaneRows(panes_of(ours, ServedQuery.of(query)), 1 << 60)
    with pytest.raises(BadInput, match="until when events are in panes"):
        replay_events(QueryEvents.of(ours, query, panes), [ServedQuery.of(query)], ticks)
