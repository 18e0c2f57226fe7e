"""The watermark: when a boundary is reached, and for whom an event is late (semantics §1)."""

from schemas.query import tumbling
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import assert_late, assert_replay

TEN = tumbling(10 * MINUTE)


def test_a_window_is_emitted_at_the_first_tick_whose_newest_start_reaches_its_end():
    assert_replay(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:01 | 10:02   | 1
        a   | 10:09 | 10:10   | 2
        a   | 10:10 | 10:13   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:13 | 2      | 0    | 3
        """,
    )


def test_a_window_that_the_watermark_has_not_reached_has_no_row():
    assert_replay(
        ask(TEN),
        """
        key | start       | arrival | value
        a   | 10:01       | 10:02   | 1
        a   | 10:09:59.9  | 10:30   | 2
        """,
        "",
    )


def test_lateness_holds_the_watermark_back():
    assert_replay(
        ask(TEN, lateness=5 * MINUTE),
        """
        key | start    | arrival | value
        a   | 10:01    | 10:02   | 1
        a   | 10:10    | 10:11   | 2
        a   | 10:14:59 | 10:15   | 4
        a   | 10:15    | 10:16   | 8
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:16 | 1      | 0    | 1
        """,
    )


def test_the_watermark_is_the_streams_not_the_keys():
    assert_replay(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:01 | 10:02   | 1
        b   | 10:11 | 10:12   | 2
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:12 | 1      | 0    | 1
        """,
    )


def test_an_event_on_the_tick_that_passes_its_window_is_not_late():
    assert_replay(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:01 | 10:02   | 1
        a   | 10:12 | 10:13   | 2
        a   | 10:02 | 10:13   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:13 | 2      | 0    | 5
        """,
    )


def test_an_event_after_the_tick_that_passes_its_window_is_late():
    assert_replay(
        ask(TEN, allowed=60 * MINUTE),
        """
        key | start | arrival  | value
        a   | 10:01 | 10:02    | 1
        a   | 10:12 | 10:13    | 2
        a   | 10:02 | 10:13:01 | 4
        """,
        """
        key | window       | pane    | at       | events | late | total
        a   | 10:00..10:10 | on_time | 10:13    | 1      | 0    | 1
        a   | 10:00..10:10 | late    | 10:13:01 | 2      | 1    | 5
        """,
    )


TOO_LATE_BOUNDARY = """
    key | start | arrival  | value
    a   | 10:01 | 10:02    | 1
    a   | 10:10 | 10:11    | 2
    a   | 10:15 | 10:16    | 4
    a   | 10:03 | 10:16    | 8
    a   | 10:04 | 10:16:01 | 16
    """


def test_an_event_on_the_tick_that_reaches_end_plus_allowed_is_not_too_late():
    assert_replay(
        ask(TEN, allowed=5 * MINUTE),
        TOO_LATE_BOUNDARY,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:11 | 1      | 0    | 1
        a   | 10:00..10:10 | late    | 10:16 | 2      | 1    | 9
        """,
    )


def test_an_event_after_it_is_too_late_and_in_the_late_table():
    """The watermark stands at 10:15, the missed window ended at 10:10."""
    assert_late(
        ask(TEN, allowed=5 * MINUTE),
        TOO_LATE_BOUNDARY,
        """
        seq | first_missed | last_missed | windows_missed | late_by
        4   | 10:00        | 10:00       | 1              | 300000000
        """,
    )


def test_the_watermark_never_falls():
    assert_replay(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:25 | 10:26   | 1
        a   | 10:11 | 10:27   | 2
        a   | 10:30 | 10:31   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:20..10:30 | on_time | 10:31 | 1      | 0    | 1
        """,
    )


def test_an_event_may_arrive_before_its_start():
    assert_replay(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:08 | 10:02   | 1
        a   | 10:12 | 10:03   | 2
        a   | 10:09 | 10:04   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:03 | 1      | 0    | 1
        """,
    )


def test_the_first_tick_has_no_watermark_before_it():
    """However old its events are against each other, none is late."""
    query = ask(TEN, "arrival")
    table = """
        key | start | arrival | value
        a   | 10:55 | 11:00   | 1
        a   | 10:05 | 11:00   | 2
        """
    assert_replay(
        query,
        table,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | early | 11:00 | 1      | 0    | 2
        a   | 10:50..11:00 | early | 11:00 | 1      | 0    | 1
        """,
    )
    assert_late(query, table, "")


def test_the_filter_comes_after_the_watermark():
    """The filtered event makes no row, but it moves the watermark."""
    assert_replay(
        ask(TEN, where=(("value", "<", 100),)),
        """
        key | start | arrival | value
        a   | 10:01 | 10:02   | 1
        b   | 10:30 | 10:31   | 100
        a   | 10:02 | 10:32   | 2
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:31 | 1      | 0    | 1
        """,
    )


def test_a_spanning_event_counts_at_its_start():
    assert_replay(
        ask(TEN),
        """
        key | start        | arrival | value
        a   | 10:01..10:25 | 10:26   | 1
        a   | 10:11..10:11 | 10:27   | 2
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:27 | 1      | 0    | 1
        """,
    )


def test_a_silent_stream_has_heartbeats_that_pass_its_windows():
    """At 10:32 and 10:52 nothing has come since 10:12: the second stands for an event that began at 10:32."""
    assert_replay(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:11 | 10:12   | 1
        a   | 10:12 | 10:53   | 2
        a   | 10:40 | 10:54   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:10..10:20 | on_time | 10:52 | 1      | 0    | 1
        a   | 10:40..10:50 | on_time | 11:14 | 1      | 0    | 4
        """,
        idle_after=20 * MINUTE,
    )


def test_an_event_that_arrives_after_a_silence_is_judged_by_its_heartbeats():
    """The watermark stands at 10:32 when it comes."""
    assert_late(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:11 | 10:12   | 1
        a   | 10:12 | 10:53   | 2
        """,
        """
        seq | first_missed | last_missed | windows_missed | late_by
        1   | 10:10        | 10:10       | 1              | 720000000
        """,
        idle_after=20 * MINUTE,
    )


def test_silence_counts_anew_from_midnight_and_an_event_on_a_heartbeats_tick_is_in_its_place():
    """After 23:30 there is none before midnight, then one at 00:40; at 01:20 an event comes instead. After the last
    arrival they go on until its day ends."""
    assert_replay(
        ask(TEN),
        """
        key | start    | arrival  | value
        a   | 23:29    | 23:30    | 1
        a   | +1 00:05 | +1 01:20 | 2
        """,
        """
        key | window             | pane    | at       | events | late | total
        a   | 23:20..23:30       | on_time | +1 00:40 | 1      | 0    | 1
        a   | +1 00:00..+1 00:10 | on_time | +1 02:00 | 1      | 0    | 2
        """,
        idle_after=40 * MINUTE,
    )
