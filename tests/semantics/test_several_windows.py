"""A query with several windows has the rows of each window alone, to the last bit, and says of each row whose it is."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import groupby

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.local import late_table, replay_table
from tests.support.semantics.generate import AGGREGATES, Question, questions
from windrow.schemas.errors import TooManyRows
from windrow.schemas.query import WINDOW_NAME, Query, agg, tumbling

HOUR = timedelta(hours=1)
OF_ALL_VALUES = {
    "hub_mode": agg("mode", "hub"),
    "hub_distinct": agg("approx_distinct", "hub"),
    "bikes_median": agg("median", "bikes"),
    "weight_std": agg("std", "weight"),
    "rough_about": agg("approx_quantile", "rough", q=0.5),
}
"""Strings as words of a replay, ranks, and what depends on the events before."""
NAMES = ("week", "a_day", "zone", "h2")
"""Not in their own order."""


@st.composite
def with_several_windows(draw) -> tuple[Question, Query]:
    """A question of one window, and its query with as many more, in any order of kinds, around the same stream."""
    question = draw(questions())
    others = [draw(questions()).query.window for _ in range(draw(st.integers(0, 3)))]
    fitting = [each for each in others if each.counts_shares == question.query.window.counts_shares]
    windows = dict(zip(draw(st.permutations(NAMES)), [question.query.window, *fitting], strict=False))
    return question, of_windows(question.query, windows)


def of_windows(query: Query, windows: dict) -> Query:
    spanning = any(window.kind == "spanning" for window in windows.values())
    asked = {name: each for name, each in query.aggregates.items() if name in AGGREGATES or not spanning}
    more = {} if spanning else OF_ALL_VALUES
    return replace(query, window=None, windows=windows, aggregates=asked | more)


@given(with_several_windows())
def test_rows_and_late_rows_are_those_of_each_window_alone(asked):
    question, query = asked

    def replayed(of: Query) -> pa.Table:
        return replay_table(question.table, of, question.complete, idle_after=question.idle_after)

    assert_of_each_window(query, replayed)
    assert_of_each_window(query, lambda of: late_table(question.table, of, idle_after=question.idle_after))


def assert_of_each_window(query: Query, rows_of: Callable[[Query], pa.Table]) -> None:
    whole, parts = rows_of(query), {name: rows_of(part) for name, part in query.parts.items()}
    place = len(query.key)
    assert whole.column_names[place] == WINDOW_NAME
    for name, alone in parts.items():
        of_window = whole.filter(pc.equal(whole[WINDOW_NAME], name)).remove_column(place)
        assert of_window.schema.equals(alone.schema)
        assert list(map(repr, of_window.to_pylist())) == list(map(repr, alone.to_pylist()))  # -0.0 is not 0.0
    assert len(whole) == sum(map(len, parts.values()))
    runs = [run for run, _ in groupby(tuple(row.values())[: place + 1] for row in whole.to_pylist())]
    of_keys = [[name for *_, name in of_key] for _, of_key in groupby(runs, key=lambda run: run[:-1])]
    assert len(set(runs)) == len(runs) and all(names == sorted(names) for names in of_keys)


def test_rows_are_limited_for_all_windows_together():
    times = pa.array([datetime(2024, 3, 1, hour, tzinfo=UTC) for hour in range(6)])
    events = pa.table({**dict.fromkeys(("start", "end", "arrival"), times), "seq": range(6)})
    windows = {"hour": tumbling(HOUR), "two": tumbling(2 * HOUR)}
    query = Query("q", "s", (), windows=windows, aggregates={}, lateness=HOUR, allowed_lateness=HOUR)
    assert len(replay_table(events, query, complete=True, options={"most_rows": 9})) == 9
    with pytest.raises(TooManyRows, match="makes 9 rows or more.*most_rows is 8"):
        replay_table(events, query, complete=True, options={"most_rows": 8})
