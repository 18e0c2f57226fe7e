"""Sessions and frames: what a late event makes of those that had rows (semantics §2, §3).

A window is known by its start, its end and its number among those with the same two. One that is no more gets a row
without events.
"""

from schemas.query import frame, session
from tests.support.local import replay_table
from tests.support.semantics.queries import HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import assert_late, assert_replay, events, table

TEN = 10 * MINUTE


def test_a_late_event_joins_two_sessions():
    """The two are no more, and one has the events of both. It has passed, so its first row is late."""
    assert_replay(
        ask(session(TEN), allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:12 | 10:12   | 2
        b   | 10:40 | 10:40   | 0
        a   | 10:06 | 10:45   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:12 | 1      | 0    | 1
        a   | 10:00..10:10 | late    | 10:45 | 0      | 0    |
        a   | 10:00..10:22 | late    | 10:45 | 3      | 1    | 7
        a   | 10:12..10:22 | on_time | 10:40 | 1      | 0    | 2
        a   | 10:12..10:22 | late    | 10:45 | 0      | 0    |
        """,
    )


def test_a_session_ends_a_gap_behind_its_last_event_and_one_at_that_very_time_begins_the_next():
    assert_replay(
        ask(session(TEN)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:10 | 10:10   | 2
        a   | 10:19 | 10:19   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:10 | 1      | 0    | 1
        a   | 10:10..10:29 | on_time | 10:19 | 2      | 0    | 6
        """,
        complete=True,
    )


def test_an_event_that_starts_before_the_watermark_minus_allowed_lateness_is_in_the_late_table_only():
    query = ask(session(TEN), allowed=TEN)
    events = """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:30 | 10:30   | 2
        a   | 10:19 | 10:31   | 4
        a   | 10:20 | 10:32   | 8
        """
    assert_replay(
        query,
        events,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:30 | 1      | 0    | 1
        a   | 10:20..10:30 | late    | 10:32 | 1      | 1    | 8
        """,
    )
    assert_late(
        query,
        events,
        """
        seq | first_missed | last_missed | windows_missed | late_by
        2   |              |             |                | 659999999
        """,
    )


def test_a_threshold_frame_ends_before_the_first_lower_value_and_passes_when_that_is_reached():
    """One that is still open has no row, unless the stream has ended."""
    assert_replay(
        ask(frame.threshold("value", 5, min_count=2)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 5
        a   | 10:01 | 10:01   | 9
        a   | 10:02 | 10:02   | 1
        a   | 10:03 | 10:03   | 7
        a   | 10:04 | 10:04   | 2
        a   | 10:05 | 10:05   | 6
        a   | 10:06 | 10:06   | 6
        """,
        """
        key | window              | pane    | at    | events | late | total
        a   | 10:00..10:01:00.000001 | on_time | 10:02 | 2      | 0    | 14
        """,
    )


def test_a_late_lower_value_splits_a_threshold_frame():
    """Its first part can be passed only now, so that row is on time; the second was closed before."""
    assert_replay(
        ask(frame.threshold("value", 5), allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 5
        a   | 10:02 | 10:02   | 7
        a   | 10:03 | 10:03   | 1
        a   | 10:01 | 10:09   | 2
        """,
        """
        key | window                 | pane    | at    | events | late | total
        a   | 10:00..10:00:00.000001 | on_time | 10:09 | 1      | 0    | 5
        a   | 10:00..10:02:00.000001 | on_time | 10:03 | 2      | 0    | 12
        a   | 10:00..10:02:00.000001 | late    | 10:09 | 0      | 0    |
        a   | 10:02..10:02:00.000001 | late    | 10:09 | 1      | 0    | 7
        """,
    )


def test_the_event_that_breaks_a_delta_frame_opens_the_next():
    assert_replay(
        ask(frame.delta("value", 3)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 5
        a   | 10:01 | 10:01   | 7
        a   | 10:02 | 10:02   |
        a   | 10:03 | 10:03   | 8
        """,
        """
        key | window                 | pane    | at    | events | late | total
        a   | 10:00..10:01:00.000001 | on_time | 10:03 | 2      | 0    | 12
        """,
    )


def test_the_event_that_reaches_the_bound_is_the_last_of_an_aggregate_frame():
    """FRAMES, figure 4: sum, bound 3. A 2 that comes late moves what is behind it, until frames are as before."""
    assert_replay(
        ask(frame.aggregate("sum", "value", 3), emit="final", allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:02 | 10:02   | 1
        a   | 10:03 | 10:03   | 1
        a   | 10:04 | 10:04   | 3
        a   | 10:05 | 10:05   | 2
        a   | 10:06 | 10:06   | 1
        a   | 10:01 | 10:07   | 2
        """,
        """
        key | window                 | pane  | at    | events | late | total
        a   | 10:00..10:01:00.000001 | final | 10:07 | 2      | 1    | 3
        a   | 10:02..10:04:00.000001 | final | 10:07 | 3      | 0    | 5
        a   | 10:05..10:06:00.000001 | final | 10:07 | 2      | 0    | 3
        """,
        complete=True,
    )


def test_boundary_frames_are_between_the_same_two_multiples_also_below_zero():
    assert_replay(
        ask(frame.boundary("value", 10)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   | -1
        a   | 10:01 | 10:01   | -10
        a   | 10:02 | 10:02   | 0
        a   | 10:03 | 10:03   | 9
        """,
        """
        key | window                 | pane    | at    | events | late | total
        a   | 10:00..10:01:00.000001 | on_time | 10:02 | 2      | 0    | -11
        a   | 10:02..10:03:00.000001 | on_time | 10:03 | 2      | 0    | 9
        """,
        complete=True,
    )


def test_an_event_without_a_value_counts_in_a_session():
    assert_replay(
        ask(session(TEN)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   |
        a   | 10:01 | 10:01   | 5
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:11 | on_time | 10:01 | 2      | 0    | 5
        """,
        complete=True,
    )


def test_an_event_without_a_value_neither_opens_grows_nor_closes_a_frame():
    assert_replay(
        ask(frame.threshold("value", 5)),
        """
        key | start | arrival | value
        a   | 10:00 | 10:00   |
        a   | 10:01 | 10:01   | 5
        a   | 10:02 | 10:02   |
        a   | 10:03 | 10:03   | 6
        a   | 10:04 | 10:04   |
        """,
        """
        key | window                        | pane    | at    | events | late | total
        a   | 10:01..10:03:00.000001 | on_time | 10:04 | 2      | 0    | 11
        """,
        complete=True,
    )


def test_a_frame_that_is_too_short_is_no_window_and_hides_none():
    assert_replay(
        ask(frame.threshold("value", 5, min_count=2), allowed=HOUR),
        """
        key | start    | arrival  | value
        a   | 10:01    | 10:01    | 9
        a   | 10:02    | 10:02    | 0
        a   | 10:03    | 10:03    | 9
        a   | 10:04    | 10:04    | 0
        a   | 10:10    | 10:10    | 9
        a   | 10:11    | 10:11    | 9
        a   | 10:12    | 10:12    | 0
        a   | 10:10:30 | 10:13    | 0
        a   | 10:20    | 10:20    | 9
        a   | 10:21    | 10:21    | 9
        a   | 10:25    | 10:25    | 0
        """,
        """
        key | window                 | pane    | at    | events | late | total
        a   | 10:10..10:11:00.000001 | on_time | 10:12 | 2      | 0    | 18
        a   | 10:10..10:11:00.000001 | late    | 10:13 | 0      | 0    |
        a   | 10:20..10:21:00.000001 | on_time | 10:25 | 2      | 0    | 18
        """,
    )


def test_an_option_of_a_kernel_may_be_a_word():
    rows = """
        key | start | arrival | value
        a   | 10:00 | 10:00   | 1
        a   | 10:12 | 10:12   | 2
        a   | 10:06 | 10:14   | 4
        """
    asked, given = ask(session(TEN), allowed=HOUR), table(events(rows))
    lazily = replay_table(given, asked, True, "single_buffer", {"sorting": "lazy"})
    assert lazily.num_rows > 0
    assert lazily == replay_table(given, asked, True)
