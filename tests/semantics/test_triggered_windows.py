"""Count, delta, slide-by-tuple and policy windows: events of a key that trigger them (semantics §2)."""

import math
from random import Random

import pyarrow as pa
import pytest

from pipelines.gate.recount.plain.aggregates import aggregate
from schemas.errors import BadInput, WrongParameter
from schemas.query import agg, count, delta, policy, slide_by_tuple
from tests.support.local import replay_table
from tests.support.semantics.queries import HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import assert_replay, at, events, table

MINUTES = MINUTE.seconds * 1_000_000


def test_a_late_event_shifts_all_later_count_windows_of_its_key():
    assert_replay(
        ask(count(2, 2, "event_time"), allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:02 | 10:02   | 2
        a   | 10:03 | 10:03   | 4
        b   | 10:05 | 10:05   | 0
        a   | 10:01 | 10:06   | 8
        """,
        """
        key | window                 | pane    | at    | events | late | total
        a   | 10:00..10:01:00.000001 | late    | 10:06 | 2      | 1    | 9
        a   | 10:00..10:02:00.000001 | on_time | 10:03 | 2      | 0    | 3
        a   | 10:00..10:02:00.000001 | late    | 10:06 | 0      | 0    |
        a   | 10:02..10:03:00.000001 | late    | 10:06 | 2      | 0    | 6
        """,
    )


def test_count_windows_by_arrival_are_complete_with_their_last_event_and_never_change():
    """Nothing is too late for them. The second has the same start and end as the first, and so the number 1."""
    assert_replay(
        ask(count(3, 1), lateness=HOUR),
        """
        key | start | arrival | value
        a   | 10:05 | 10:05   | 1
        a   | 10:00 | 10:06   | 2
        a   | 10:03 | 10:07   | 4
        a   | 10:05 | 10:08   | 8
        """,
        """
        key | window                 | window_number | pane    | at    | events | late | total
        a   | 10:00..10:05:00.000001 | 0             | on_time | 10:07 | 3      | 0    | 7
        a   | 10:00..10:05:00.000001 | 1             | on_time | 10:08 | 3      | 0    | 14
        """,
    )


def test_count_windows_by_arrival_take_their_events_in_order_of_time():
    """As every window does: which events are in it is decided by their arrival, what comes first by their start. Of two
    with the same start that which arrived first is the first."""
    orders = {
        "first": agg("first", "value"),
        "last": agg("last", "value"),
        "run": agg("longest_run", "value"),
        "rate": agg("rate", "value"),
    }
    assert_replay(
        ask(count(2, 1), aggregates=orders),
        """
        key | start | arrival | value
        a   | 10:09 | 10:10   | 9
        a   | 10:01 | 10:11   | 3
        a   | 10:01 | 10:12   | 6
        a   | 10:00 | 10:12   | 9
        """,
        """
        key | window                 | pane    | at    | events | late | first | last | run | rate
        a   | 10:00..10:01:00.000001 | on_time | 10:12 | 2      | 0    | 9     | 6    | 1   | -0.05
        a   | 10:01..10:01:00.000001 | on_time | 10:12 | 2      | 0    | 3     | 6    | 2   |
        a   | 10:01..10:09:00.000001 | on_time | 10:11 | 2      | 0    | 3     | 9    | 2   | 0.0125
        """,
    )


@pytest.mark.parametrize(("size", "step"), [(1, 1), (7, 1), (7, 3), (20, 20), (20, 33)])
def test_count_windows_by_arrival_of_many_events_are_their_rows_sorted_by_time(size, step):
    random = Random(size + step)
    starts = [random.randrange(30) for _ in range(200)]
    story = values(*(random.randrange(9) for _ in starts))
    at_starts = pa.array([at("10:00") + start * MINUTE for start in starts], story["start"].type)
    story = story.set_column(0, "start", at_starts).set_column(1, "end", at_starts)
    orders = {"first": agg("first", "value"), "last": agg("last", "value"), "run": agg("longest_run", "value")}
    found = replay_table(story, ask(count(size, step), "arrival", aggregates=orders)).to_pylist()
    rows, arrived = story.to_pylist(), range(0, len(starts) - size + 1, step)
    windows = [sorted(rows[first : first + size], key=lambda row: row["start"]) for first in arrived]
    wanted = [{name: aggregate(each, window) for name, each in orders.items()} for window in windows]
    found.sort(key=lambda row: row["emitted_at"])
    assert [{name: row[name] for name in orders} for row in found] == wanted


def test_a_delta_window_holds_what_lies_at_most_an_extent_below_the_value_that_triggers():
    """FARM §2.2.3. The first value sets the marker; a trigger is at least the threshold beyond it, and the next marker;
    it isn't in its own window."""
    assert_replay(
        ask(delta("value", extent=5, threshold=3)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 0
        a   | 10:01 | 10:01   | 2
        a   | 10:02 | 10:02   | 3
        a   | 10:03 | 10:03   | 1
        a   | 10:04 | 10:04   | 7
        """,
        """
        key | window                 | pane    | at    | events | late | total
        a   | 10:00..10:01:00.000001 | on_time | 10:03 | 2      | 0    | 2
        a   | 10:01..10:02:00.000001 | on_time | 10:04 | 2      | 0    | 5
        """,
        complete=True,
    )


def test_slide_by_tuple_windows_include_both_ends_and_no_event_behind_the_trigger():
    """FARM eq. 12 and figure 9: every second event triggers, and an event may be in no window."""
    assert_replay(
        ask(slide_by_tuple(4 * MINUTE, 2)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:04 | 10:04   | 2
        a   | 10:05 | 10:05   | 4
        a   | 10:10 | 10:10   | 8
        """,
        """
        key | window                 | pane    | at    | events | late | total
        a   | 10:00..10:04:00.000001 | on_time | 10:05 | 2      | 0    | 3
        a   | 10:06..10:10:00.000001 | on_time | 10:10 | 1      | 0    | 8
        """,
        complete=True,
    )


@pytest.mark.slow
def test_a_policy_has_a_window_after_each_event_of_what_it_has_left():
    """`until`: more than two events, or five minutes, and all but the newest go."""
    assert_replay(
        ask(policy("until", most=2, length_us=5 * MINUTES)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:01 | 10:01   | 2
        a   | 10:02 | 10:02   | 4
        a   | 10:09 | 10:09   | 8
        """,
        """
        key | window                 | pane    | at    | events | late | total
        a   | 10:00..10:00:00.000001 | on_time | 10:01 | 1      | 0    | 1
        a   | 10:00..10:01:00.000001 | on_time | 10:02 | 2      | 0    | 3
        a   | 10:02..10:02:00.000001 | on_time | 10:09 | 1      | 0    | 4
        a   | 10:09..10:09:00.000001 | on_time | 10:09 | 1      | 0    | 8
        """,
        complete=True,
    )


def values(*numbers: float) -> pa.Table:
    """Events of a key, a minute apart."""
    times = pa.array([at("10:00") + minute * MINUTE for minute in range(len(numbers))], pa.timestamp("us", tz="UTC"))
    columns = dict.fromkeys(("start", "end", "arrival"), times)
    return pa.table({**columns, "seq": range(len(numbers)), "key": ["a"] * len(numbers), "value": pa.array(numbers)})


@pytest.mark.parametrize(("numbers", "windows"), [((0.0, math.inf, math.inf), 0), ((-math.inf, -math.inf, 1.0), 1)])
def test_an_infinite_value_does_not_trigger_behind_its_like(numbers, windows):
    rows = replay_table(values(*numbers), ask(delta("value", extent=math.pi, threshold=1.0)), complete=True)
    assert len(rows) <= windows


def test_whole_numbers_beyond_those_that_floats_hold_are_refused():
    query = ask(delta("value", extent=2.0, threshold=1.0))
    replay_table(values(0, 2**53), query)
    with pytest.raises(BadInput, match="column value: 9007199254740993 is beyond"):
        replay_table(values(0, 2**53 + 1), query)


@pytest.mark.parametrize(("window", "beyond"), [(lambda n: count(n, 1), "size"), (lambda n: count(1, n), "step")])
def test_counts_have_a_limit(window, beyond):
    one = table(events("key | start | arrival | value\na | 10:00 | 10:00 | 1"))
    replay_table(one, ask(window(2**61)))
    with pytest.raises(WrongParameter, match=f"{beyond} is {2**61 + 1}"):
        replay_table(one, ask(window(2**61 + 1)))


def test_step_of_slide_by_tuple_has_a_limit():
    one = table(events("key | start | arrival | value\na | 10:00 | 10:00 | 1"))
    with pytest.raises(WrongParameter, match="step is"):
        replay_table(one, ask(slide_by_tuple(MINUTE, 2**61 + 1)))
