"""Sessions whose gap a column says: each event keeps its session open for so long (semantics §2)."""

from datetime import UTC, datetime, timedelta

import pyarrow as pa
import pytest

from schemas.errors import BadInput, WrongParameter
from schemas.query import session
from tests.support.local import replay_table
from tests.support.semantics.queries import HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import assert_replay, events, table

NOON_US = int(datetime(2024, 3, 1, 12, tzinfo=UTC).timestamp()) * 10**6


def test_where_a_column_says_the_gap_a_session_goes_on_as_far_as_any_of_its_events_reaches():
    """The event of 10:03 reaches 10:23, further than the one behind it."""
    assert_replay(
        ask(session("value", unit=MINUTE)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 5
        a   | 10:03 | 10:03   | 20
        a   | 10:10 | 10:10   | 2
        a   | 10:23 | 10:23   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:23 | on_time | 10:23 | 3      | 0    | 27
        a   | 10:23..10:27 | on_time | 10:23 | 1      | 0    | 4
        """,
        complete=True,
    )


def test_a_late_event_that_reaches_further_joins_the_sessions_behind_it():
    assert_replay(
        ask(session("value", unit=MINUTE), allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 5
        a   | 10:12 | 10:12   | 4
        a   | 10:17 | 10:17   | 5
        b   | 10:40 | 10:40   | 9
        a   | 10:02 | 10:45   | 15
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:05 | on_time | 10:12 | 1      | 0    | 5
        a   | 10:00..10:05 | late    | 10:45 | 0      | 0    |
        a   | 10:00..10:17 | late    | 10:45 | 3      | 1    | 24
        a   | 10:12..10:16 | on_time | 10:17 | 1      | 0    | 4
        a   | 10:12..10:16 | late    | 10:45 | 0      | 0    |
        a   | 10:17..10:22 | on_time | 10:40 | 1      | 0    | 5
        """,
    )


def test_an_event_whose_gap_is_null_or_not_above_zero_is_in_no_session():
    """Those of 10:02 and 10:03 neither grow a session nor begin one."""
    assert_replay(
        ask(session("value", unit=MINUTE)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 2
        a   | 10:01 | 10:01   |
        a   | 10:02 | 10:02   | 0
        a   | 10:03 | 10:03   | -5
        a   | 10:04 | 10:04   | 1
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:02 | on_time | 10:02 | 1      | 0    | 2
        a   | 10:04..10:05 | on_time | 10:04 | 1      | 0    | 1
        """,
        complete=True,
    )


@pytest.mark.parametrize(
    ("unit", "most"), [(timedelta(seconds=1), 2**60 // 10**6), (timedelta(microseconds=1), 2**53)], ids=str
)
def test_a_gap_is_served_up_to_the_longest_and_one_beyond_names_its_event(unit, most):
    rows = replay_table(_of_value(most), ask(session("value", unit), aggregates={}), complete=True)
    assert rows["window_end"].cast("int64").to_pylist() == [NOON_US + most * (unit // timedelta(microseconds=1))]
    beyond = rf"column value: {most + 1} of an event that starts at 2024-03-01 12:00:00 UTC is a gap beyond {most:,}"
    with pytest.raises(BadInput, match=beyond):
        replay_table(_of_value(most + 1), ask(session("value", unit), aggregates={}), complete=True)


def test_a_column_of_gaps_must_be_there_and_hold_whole_numbers():
    for query, wrong in ((ask(session("valeu", MINUTE)), "'valeu'. Did you mean 'value'"),
                         (ask(session("key", MINUTE)), "type of column key is 'string'; allowed: int64")):  # fmt: skip
        with pytest.raises(WrongParameter, match=wrong):
            replay_table(_of_value(1), query)
    floats = _of_value(1).set_column(5, "value", pa.array([1.0]))
    with pytest.raises(WrongParameter, match="type of column value is 'float64'; allowed: int64"):
        replay_table(floats, ask(session("value", MINUTE)))


def _of_value(value: int) -> pa.Table:
    """One event at noon."""
    return table(events(f"key | start | arrival | value\na | 12:00 | 12:00 | {value}"))
