"""Replays of a part: stretch by stretch of windows that depend on their key's other events, and rows from a tick on of
the others; the rows are those of one replay."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.semantics.generate import CONTEXT_BOUND, Question, questions
from tests.support.semantics.queries import HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import events, table
from windrow.kernels import entry
from windrow.kernels.api import PassTicks
from windrow.pipelines.replay.day_state import STATE_TYPE
from windrow.pipelines.replay.events_by_key import QueryEvents
from windrow.pipelines.replay.replay_events import Replayed, replay_events
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.replay.validate import validate
from windrow.pipelines.replay.watermark import ticks_of_events
from windrow.pipelines.rows.arrays import TIME, stored
from windrow.schemas.errors import BadInput, TooManyRows
from windrow.schemas.query import Query, agg, count, session, sliding
from windrow.schemas.side_tables import CARRIED

EVENTS = """
    key | start | arrival | value
    a   | 10:00 | 10:00   | 1
    a   | 10:20 | 10:20   | 2
    a   | 10:10 | 10:30   | 4
    b   | 10:40 | 10:40   | 8
    a   | 12:00 | 12:00   | 16
"""


@pytest.fixture(autouse=True)
def lets_go_at_once(monkeypatch):
    monkeypatch.setattr(entry, "LEAST_FORGOTTEN", 1)


@pytest.mark.slow  # random streams of nine kinds
@pytest.mark.nightly
@pytest.mark.parametrize("kind", CONTEXT_BOUND)
def test_stretch_by_stretch_equals_one_replay_row_for_row(kind):
    @given(questions(kinds=(kind,)), st.lists(st.integers(0, 40), max_size=4))
    def ask_twice(question: Question, places: list[int]) -> None:
        question = _without_strings(question)
        ours, ticks = validated(question.table, question.query)
        arrivals = sorted(set(stored(ours["arrival"]).tolist()))
        cuts = sorted({arrivals[place] for place in places if place < len(arrivals)})
        served = ServedQuery.of(question.query)
        last = arrivals[-1] if question.complete and arrivals else None
        whole = replay_events(QueryEvents.of(ours, question.query), [served], ticks, served.rules(last)).rows
        parts = [each.rows for each in _stretches(ours, served, ticks, cuts, last)]
        assert _sorted(pa.concat_tables(parts)).equals(_sorted(whole))

    ask_twice()


def _without_strings(question: Question) -> Question:
    """Days that go on from each other carry no string: the pipeline refuses such a query."""
    kept = {
        name: each
        for name, each in question.query.aggregates.items()
        if each.function == "count" or "hub" not in each.columns
    }
    return question._replace(query=replace(question.query, aggregates=kept))


def validated(events: pa.Table, query) -> tuple[pa.Table, PassTicks]:
    ours = validate(events, query, timedelta.max)
    return ours, ticks_of_events(stored(ours["arrival"]), stored(ours["start"]))


def _stretches(ours: pa.Table, served: ServedQuery, ticks: PassTicks, cuts: list, last) -> Iterator[Replayed]:
    """A replay for each stretch of arrivals, from what the one before carried on."""
    carried = pa.schema([*(ours.schema.field(name) for name in served.query.key), (CARRIED, STATE_TYPE)]).empty_table()
    bounds = [-(1 << 60), *cuts, 1 << 60]
    for from_us, until_us in zip(bounds, bounds[1:], strict=False):
        arrival = ours["arrival"]
        inside = pc.and_(pc.greater_equal(arrival, _time(from_us)), pc.less(arrival, _time(until_us)))
        rules = served.rules(last if until_us == bounds[-1] else None)._replace(rows_from_us=from_us)
        of = QueryEvents.of(ours.filter(inside), served.query, carried)
        found = replay_events(of, [served], _ticks(ticks, from_us, until_us), rules)
        assert found.carried is not None
        carried = found.carried
        yield found


def _ticks(ticks: PassTicks, from_us: int, until_us: int) -> PassTicks:
    """Those of a stretch, and the last before it."""
    first = max(0, int((ticks.tick_us < from_us).sum()) - 1)
    end = int((ticks.tick_us < until_us).sum())
    return PassTicks(ticks.tick_us[first:end], ticks.newest_start_us[first:end])


def _time(us: int) -> pa.Scalar:
    return pa.scalar(us, TIME)


def _sorted(rows: pa.Table) -> pa.Table:
    names = [name for name in rows.column_names if name != "pane"]
    return rows.sort_by([(name, "ascending") for name in names]).combine_chunks()


def _carried_by(query) -> pa.Table:
    ours, ticks = validated(table(events(EVENTS)), query)
    served = ServedQuery.of(query)
    *_, found = _stretches(ours, served, ticks, [], None)
    return found.carried


def test_a_key_whose_sessions_have_ended_leaves_nothing_and_another_what_its_windows_need():
    assert _carried_by(ask(session(MINUTE)))["key"].to_pylist() == ["a"], (
        "the session of b is passed, that of a is open"
    )
    of_count = _carried_by(ask(count(2, 1, "event_time")))
    assert of_count["key"].to_pylist() == ["a", "b"], "which event triggers depends on all before"


@pytest.mark.parametrize(
    "other",
    [
        ask(session(HOUR)),
        ask(count(2, 1)),
        ask(session(MINUTE), aggregates={"total": agg("max", "value")}),
        ask(session(MINUTE), "arrival"),
        ask(session(MINUTE), allowed=HOUR),
    ],
    ids=["gap", "kind", "aggregate", "emit", "allowed"],
)
def test_what_another_definition_carried_is_refused_with_the_key(other):
    query = ask(session(MINUTE))
    ours, ticks = validated(table(events(EVENTS)), query)
    served = ServedQuery.of(query)
    with pytest.raises(BadInput, match="the state of key='a' is not of this query as it is now.*first day"):
        replay_events(QueryEvents.of(ours, query, _carried_by(other)), [served], ticks)


def replayed(rows: pa.Table, query: Query, complete: bool, rows_from_us: int | None = None, **options: int) -> pa.Table:
    ours, ticks = validated(rows, query)
    last_us = int(stored(ours["arrival"]).max()) if complete and len(ours) else None
    served = ServedQuery.of(query)
    rules = served.rules(last_us)._replace(rows_from_us=rows_from_us)
    return replay_events(QueryEvents.of(ours, query), [served], ticks, rules, options).rows


def from_tick(rows: pa.Table, tick_us: int) -> pa.Table:
    return rows.filter(pc.greater_equal(rows["emitted_at"].cast(pa.int64()), tick_us))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["tumbling", "sliding", "rolling", "calendar", "spanning"])
def test_rows_from_a_tick_on_are_those_of_all_rows(kind):
    @given(questions((kind,)), st.floats(0, 1))
    def compare(question, share):
        asked = question.table, question.query, question.complete
        every = replayed(*asked)
        ticks_us = sorted(every["emitted_at"].cast(pa.int64()).to_pylist())
        for tick_us in {ticks_us[int(share * (len(ticks_us) - 1))], ticks_us[-1] + 1} if ticks_us else {0}:
            wanted = from_tick(every, tick_us)
            assert list(map(repr, replayed(*asked, tick_us).to_pylist())) == list(map(repr, wanted.to_pylist()))

    compare()


def test_rows_that_are_not_made_are_not_counted_against_the_limit():
    rows = events("""
    key | start | arrival | value
    a   | 10:00 | 10:01   | 1
    a   | 11:00 | 11:01   | 1
    a   | 12:00 | 12:01   | 1
    """)
    asked = table(rows), ask(sliding(10 * MINUTE, MINUTE), aggregates={"rows": agg("count")}), False
    every = replayed(*asked)
    tick_us = max(every["emitted_at"].cast(pa.int64()).to_pylist())
    wanted = len(from_tick(every, tick_us))
    assert 0 < wanted < len(every)
    assert len(replayed(*asked, tick_us, most_rows=wanted)) == wanted
    with pytest.raises(TooManyRows):
        replayed(*asked, tick_us, most_rows=wanted - 1)
