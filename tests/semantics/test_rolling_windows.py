"""Rolling windows: (u − size, u] for each event time u that the key has seen (semantics §2).

In half-open form [u − size + 1 µs, u + 1 µs). With whole minutes, `10:05` below is the window of u = 10:05 and 10
minutes.
"""

from datetime import timedelta

import pyarrow as pa

from schemas.query import rolling
from tests.support.local import replay_table
from tests.support.oracle import oracle
from tests.support.semantics.queries import HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import assert_late, at, events, rows_of, table

MICROSECOND = timedelta(microseconds=1)
TEN = rolling(10 * MINUTE)


def assert_rolling(query, event_table: str, result_table: str, complete: bool = False) -> None:
    """As assert_replay, but a window is named by its u."""
    rows = events(event_table)
    wanted = (
        [
            (
                row["key"],
                at(row["u"]),
                int(row["revision"]),
                row["pane"],
                at(row["at"]),
                int(row["events"]),
                int(row["late"]),
                int(row["total"]),
            )
            for row in rows_of(result_table)
        ]
        if result_table
        else []
    )
    for found in (oracle.replay(rows, query, complete), replay_table(table(rows), query, complete).to_pylist()):
        assert [
            (
                row["key"],
                row["window_end"] - MICROSECOND,
                row["revision"],
                row["pane"],
                row["emitted_at"],
                row["events"],
                row["late_events"],
                row["total"],
            )
            for row in found
        ] == wanted
        assert all(row["window_end"] - row["window_start"] == query.window.size for row in found)


def test_the_extent_excludes_its_far_end_and_includes_u():
    """10:05 is exactly ten minutes before 10:15 and no longer in; 10:15 itself is in."""
    assert_rolling(
        ask(TEN),
        """
        key | start           | arrival | value
        a   | 10:05           | 10:06   | 1
        a   | 10:05:00.000001 | 10:07   | 2
        a   | 10:15           | 10:16   | 4
        a   | 10:30           | 10:31   | 8
        """,
        """
        key | u               | revision | pane    | at    | events | late | total
        a   | 10:05           | 0        | on_time | 10:07 | 1      | 0    | 1
        a   | 10:05:00.000001 | 0        | on_time | 10:16 | 2      | 0    | 3
        a   | 10:15           | 0        | on_time | 10:31 | 2      | 0    | 6
        """,
    )


def test_a_window_passes_one_microsecond_after_u():
    """The watermark reaches 10:05 + 1 µs with the second event, not with the first."""
    assert_rolling(
        ask(TEN),
        """
        key | start           | arrival | value
        a   | 10:05           | 10:06   | 1
        b   | 10:05:00.000001 | 10:07   | 2
        """,
        """
        key | u               | revision | pane    | at    | events | late | total
        a   | 10:05           | 0        | on_time | 10:07 | 1      | 0    | 1
        """,
    )


def test_equal_times_share_one_window():
    assert_rolling(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:05 | 10:06   | 1
        a   | 10:05 | 10:07   | 2
        a   | 10:06 | 10:08   | 4
        """,
        """
        key | u     | revision | pane    | at    | events | late | total
        a   | 10:05 | 0        | on_time | 10:08 | 2      | 0    | 3
        """,
    )


def test_a_late_event_revises_windows_after_it_and_makes_its_own():
    """10:04 comes when the watermark is 10:06: late for u = 10:04 and 10:05, not for 10:06."""
    assert_rolling(
        ask(TEN, allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:05 | 10:06   | 1
        a   | 10:06 | 10:07   | 2
        a   | 10:04 | 10:08   | 4
        """,
        """
        key | u     | revision | pane    | at    | events | late | total
        a   | 10:04 | 0        | late    | 10:08 | 1      | 1    | 4
        a   | 10:05 | 0        | on_time | 10:07 | 1      | 0    | 1
        a   | 10:05 | 1        | late    | 10:08 | 2      | 1    | 5
        a   | 10:06 | 0        | on_time | 10:08 | 3      | 0    | 7
        """,
        complete=True,
    )


def test_late_events_of_one_key_are_not_counted_in_windows_of_the_next():
    assert_rolling(
        ask(TEN, allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:07 | 10:07   | 1
        a   | 10:02 | 10:08   | 2
        b   | 10:05 | 10:09   | 4
        """,
        """
        key | u     | revision | pane    | at    | events | late | total
        a   | 10:02 | 0        | late    | 10:08 | 1      | 1    | 2
        b   | 10:05 | 0        | late    | 10:09 | 1      | 1    | 4
        """,
    )


def test_a_window_that_comes_late_counts_what_was_already_there():
    """u = 10:05 is first seen at 10:09; 10:01 had come on time, 10:02 late."""
    assert_rolling(
        ask(TEN, allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:01 | 10:02   | 1
        b   | 10:07 | 10:07   | 2
        a   | 10:02 | 10:08   | 4
        a   | 10:05 | 10:09   | 8
        """,
        """
        key | u     | revision | pane    | at    | events | late | total
        a   | 10:01 | 0        | on_time | 10:07 | 1      | 0    | 1
        a   | 10:02 | 0        | late    | 10:08 | 2      | 1    | 5
        a   | 10:05 | 0        | late    | 10:09 | 3      | 2    | 13
        """,
    )


def test_final_waits_for_u_plus_allowed():
    assert_rolling(
        ask(TEN, "final", allowed=5 * MINUTE),
        """
        key | start           | arrival | value
        a   | 10:05           | 10:06   | 1
        a   | 10:10           | 10:11   | 2
        a   | 10:04           | 10:12   | 4
        a   | 10:10:00.000001 | 10:13   | 8
        """,
        """
        key | u     | revision | pane  | at    | events | late | total
        a   | 10:05 | 0        | final | 10:13 | 2      | 1    | 5
        """,
    )


def test_arrival_gives_the_youngest_window_after_each_burst_that_changes_it():
    """At 10:08 only 9:50 comes: too old for the window of 10:05. At 10:09 the burst makes 10:06 the youngest."""
    assert_rolling(
        ask(TEN, "arrival", lateness=HOUR),
        """
        key | start | arrival | value
        a   | 10:05 | 10:06   | 1
        a   | 10:02 | 10:07   | 2
        a   | 09:50 | 10:08   | 4
        a   | 10:06 | 10:09   | 8
        a   | 10:04 | 10:09   | 16
        a   | 10:05 | 10:10   | 32
        """,
        """
        key | u     | revision | pane  | at    | events | late | total
        a   | 10:05 | 0        | early | 10:06 | 1      | 0    | 1
        a   | 10:05 | 1        | early | 10:07 | 2      | 0    | 3
        a   | 10:06 | 0        | early | 10:09 | 4      | 0    | 27
        a   | 10:06 | 1        | early | 10:10 | 5      | 0    | 59
        """,
    )


def test_arrival_says_late_once_the_window_has_passed():
    assert_rolling(
        ask(TEN, "arrival", allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:05 | 10:06   | 1
        b   | 10:20 | 10:21   | 2
        a   | 10:04 | 10:22   | 4
        """,
        """
        key | u     | revision | pane  | at    | events | late | total
        a   | 10:05 | 0        | early | 10:06 | 1      | 0    | 1
        a   | 10:05 | 1        | late  | 10:22 | 2      | 1    | 5
        b   | 10:20 | 0        | early | 10:21 | 1      | 0    | 2
        """,
    )


LATE_STORY = """
    key | start | arrival | value
    a   | 10:05 | 10:06   | 1
    b   | 10:20 | 10:21   | 2
    a   | 10:04 | 10:22   | 4
    a   | 10:03 | 10:23   | 8
    a   | 10:12 | 10:24   | 16
    a   | 10:03 | 10:25   | 32
    """


def test_an_event_too_late_for_its_own_window_counts_in_later_ones():
    """Allowed 12 minutes, watermark 10:20: windows of u before 10:08 are missed, that of 10:12 is not."""
    assert_rolling(
        ask(TEN, allowed=12 * MINUTE),
        LATE_STORY,
        """
        key | u     | revision | pane    | at    | events | late | total
        a   | 10:05 | 0        | on_time | 10:21 | 1      | 0    | 1
        a   | 10:12 | 0        | late    | 10:24 | 4      | 3    | 29
        a   | 10:12 | 1        | late    | 10:25 | 5      | 4    | 61
        """,
    )


def test_the_late_table_names_the_times_that_the_key_had_seen_by_then():
    """10:03 misses its own u, 10:04 and 10:05; those times count although 10:04's own event was too late."""
    assert_late(
        ask(TEN, allowed=12 * MINUTE),
        LATE_STORY,
        """
        seq | first_missed    | last_missed     | windows_missed | late_by
        2   | 09:54:00.000001 | 09:55:00.000001 | 2              | 959_999_999
        3   | 09:53:00.000001 | 09:55:00.000001 | 3              | 1_019_999_999
        5   | 09:53:00.000001 | 09:55:00.000001 | 3              | 1_019_999_999
        """,
    )


def test_filtered_events_make_no_window():
    rows = events("""
        key | start | arrival | value
        a   | 10:05 | 10:06   | 1
        a   | 10:06 | 10:07   |
        """)
    query = ask(TEN, "arrival", where=(("value", "not_null", None),))
    found = replay_table(table(rows), query)
    assert found.num_rows == 1
    assert found["window_end"].to_pylist() == [at("10:05") + MICROSECOND]
    assert found["total"].equals(pa.chunked_array([[1]]))
