"""The lateness curve, from one pass over the events, says what a replay with each lateness says."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import duckdb
import pytest
from hypothesis import given

from tests.support.local import replay_table
from tests.support.semantics.generate import Question, questions
from tests.support.semantics.searching import search_until_nothing_is_missing
from windrow.pipelines.gate.recount.query_days import QueryConnection
from windrow.pipelines.gate.recount.tables import FLOOR_DIV
from windrow.pipelines.lateness.needed import add_needed
from windrow.pipelines.lateness.whatif import CurvePoint, curve, recommended_us
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Query, count, session
from windrow.schemas.windows import MICROSECOND

KINDS = ("tumbling", "sliding", "spanning", "calendar", "rolling")
FEATURES = {"complete", "incomplete", "late", "no row on time", "null key", "where"}


@pytest.mark.nightly
@pytest.mark.slow  # it takes many questions until each feature came in one
@pytest.mark.parametrize("kind", KINDS)
def test_each_point_is_what_a_replay_with_that_lateness_says(kind):
    reached = Counter()

    @given(questions(kinds=(kind,)))
    def ask(question: Question) -> None:
        asked = _asked(question)
        for point in curve(asked, _five(asked)):
            assert point == _replayed(question, point.lateness_us)
            reached.update(_features(question, point))

    search_until_nothing_is_missing(ask, lambda: FEATURES - set(reached))


@pytest.mark.slow
@given(questions(kinds=KINDS))
def test_the_recommended_lateness_is_the_least_whole_second_that_makes_enough_windows_complete(question):
    asked = _asked(question)
    for complete in (0.5, 0.99, 1.0):
        if not asked.one("SELECT count(*) FROM windows_needed")[0]:
            return
        found = recommended_us(asked, complete)
        enough, less = curve(asked, [found, found - 1_000_000])
        assert enough.complete >= complete * enough.windows
        assert found == 0 or less.complete < complete * less.windows


def test_delays_are_in_seconds_and_none_where_no_window_has_passed():
    of_all = {"lateness_us": 0, "windows": 4, "complete": 0, "events": 9, "late_events": 1}
    some = CurvePoint(**of_all, on_time=3, passed=2, delay_us=6_000_000, delay_median_us=2_500_000)
    none = CurvePoint(**of_all, on_time=1, passed=0, delay_us=0, delay_median_us=None)
    assert (some.delay_mean_seconds, some.delay_median_seconds) == (3.0, 2.5)
    assert (none.delay_mean_seconds, none.delay_median_seconds) == (None, None)


@pytest.mark.parametrize("window", [session(timedelta(hours=1)), count(10, 5)], ids=["session", "count"])
def test_windows_that_depend_on_other_events_are_refused(window):
    query = Query("random", "random", (), window, {}, timedelta(0), timedelta(0))
    with pytest.raises(WrongParameter, match=f"'{window.kind}'; allowed: windows that don't depend"):
        add_needed(query, duckdb.connect())


def _asked(question: Question) -> QueryConnection:
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
    connection.execute(FLOOR_DIV)
    connection.register("silver", question.table)
    return add_needed(question.query, connection, question.idle_after)


def _five(asked: QueryConnection) -> list[int]:
    """Without any, and around what the windows need."""
    needed = [us for (us,) in asked.rows("SELECT DISTINCT most_us FROM windows_needed WHERE most_us >= 0 ORDER BY 1")]
    middle = needed[len(needed) // 2] if needed else 1
    return sorted({0, middle, middle + 1, needed[-1] + 1 if needed else 2, 3_600_000_000_000})


def _replayed(question: Question, lateness_us: int) -> CurvePoint:
    query = replace(
        question.query,
        lateness=lateness_us * MICROSECOND,
        allowed_lateness=timedelta.max,
        emit="watermark",
        aggregates={},
    )
    rows, passed = (
        replay_table(question.table, query, complete=each, idle_after=question.idle_after).to_pylist()
        for each in (True, False)
    )
    newest = {_window(query, row): row for row in rows}
    on_time = [row for row in rows if row["pane"] == "on_time"]
    # The row of the window in the middle, of an even number the first of the two.
    # Heartbeats after the last event are none: the stream has ended.
    last = max((row["arrival"] for row in question.rows), default=None)
    passed = [row for row in passed if row["pane"] == "on_time" and row["emitted_at"] <= last]
    delays = sorted((row["emitted_at"] - row["window_end"]) // MICROSECOND for row in passed)
    return CurvePoint(
        lateness_us,
        windows=len(newest),
        complete=sum(row["late_events"] == 0 for row in newest.values()),
        on_time=len(on_time),
        passed=len(delays),
        events=sum(row["events"] for row in newest.values()),
        late_events=sum(row["late_events"] for row in newest.values()),
        delay_us=sum(delays),
        delay_median_us=delays[(len(delays) - 1) // 2] if delays else None,
    )


def _window(query: Query, row: dict) -> tuple:
    return (*(row[column] for column in query.key), row["window_start"], row["window_end"])


def _features(question: Question, point: CurvePoint) -> Iterable[str]:
    query = question.query
    yield "complete" if point.complete == point.windows else "incomplete"
    yield from ("late" for _ in range(point.late_events))
    yield "no row on time" if point.on_time < point.windows else "rows on time"
    yield from ("null key" for row in question.rows for column in query.key if row[column] is None)
    yield "where" if query.where else "all rows"
