"""Bursts of many late events: rows are the oracle's, and cost what events and windows do, not their product."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.monoids import AggregateSpec
from kernels.replay import AggregatePlan, EventColumns, PassTicks, ReplayRules, WindowSpec, replay_keys
from tests.semantics.test_against_oracle import assert_same_rows
from tests.support.local import replay_table
from tests.support.oracle import oracle
from tests.support.semantics.generate import Question, questions

FOREVER = timedelta(days=3650)


def in_late_bursts(question: Question, ticks: int) -> Question:
    """The same events behind one far ahead, of one key, all of them at a few ticks; none is too late."""
    latest = max(row["arrival"] for row in question.rows)
    bursts = [row | {"arrival": latest + timedelta(hours=1 + place % ticks)} for place, row in enumerate(question.rows)]
    youngest = max(row["start"] for row in question.rows) + timedelta(days=400)
    first = question.rows[0] | {"start": youngest, "end": youngest, "arrival": latest, "seq": -1}
    allowed = max(question.query.allowed_lateness, FOREVER)
    return question._replace(
        rows=[first, *bursts], query=replace(question.query, key=(), where=(), allowed_lateness=allowed)
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sliding", "rolling", "spanning", "calendar"])
def test_windows_have_the_oracles_rows(kind):
    @settings(max_examples=2 * settings.default.max_examples)
    @given(questions((kind,)).filter(lambda question: len(question.rows) >= 5), st.integers(1, 3))
    def ask(question, ticks):
        late = in_late_bursts(question, ticks)
        found = replay_table(late.table, late.query, late.complete)
        assert_same_rows(found.to_pylist(), oracle.replay(late.rows, late.query, late.complete), late)

    ask()


@pytest.mark.parametrize(
    "window", [WindowSpec("sliding", 60, 7), WindowSpec("rolling", 60)], ids=["sliding", "rolling"]
)
def test_a_burst_equals_its_events_one_by_one(window):
    """Some hundred events, so that the tree over their stretches has several levels: what the newest row of a window
    holds is the same whether the events came at one tick or each at its own."""
    random = np.random.default_rng(7)
    times = np.concatenate(([0, 10**6], random.integers(0, 3000, 400)))
    newest = []
    for late in (np.full(400, 3), 3 + np.arange(400)):
        arrivals = np.concatenate(([1, 2], late))
        values = np.arange(402)[None, :]
        columns = EventColumns(np.array([0, 402]), times, arrivals, values, np.ones((1, 402), np.bool_))
        plan = AggregatePlan((AggregateSpec("sum", 0), AggregateSpec("max", 0), AggregateSpec("count")))
        rules = ReplayRules(0, 1 << 40, "watermark")
        rows = replay_keys(columns, window, plan, PassTicks(arrivals[:2], times[:2]), rules)
        by_window = zip(rows.window_start.tolist(), rows.events, *rows.outputs, strict=True)
        newest.append({start: tuple(map(int, values)) for start, *values in by_window})
    assert newest[0] == newest[1] and len(newest[0]) > 300
