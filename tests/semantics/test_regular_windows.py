"""Tumbling and sliding windows without a zone: boundaries, origins, gaps (semantics §2)."""

from datetime import UTC, datetime, timedelta, timezone

from schemas.query import sliding, tumbling
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import assert_late, assert_replay

TEN = tumbling(10 * MINUTE)


def test_an_event_exactly_on_a_boundary_is_in_the_window_that_starts_there():
    """FARM's equation 9 loses the event at 10:10, its equation 8 does not."""
    assert_replay(
        ask(sliding(10 * MINUTE, 5 * MINUTE), "arrival"),
        """
        key | start          | arrival | value
        a   | 10:10          | 10:11   | 1
        b   | 10:09:59.999999| 10:11   | 2
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:05..10:15 | early | 10:11 | 1      | 0    | 1
        a   | 10:10..10:20 | early | 10:11 | 1      | 0    | 1
        b   | 10:00..10:10 | early | 10:11 | 1      | 0    | 2
        b   | 10:05..10:15 | early | 10:11 | 1      | 0    | 2
        """,
    )


def test_an_event_lies_in_size_over_slide_windows():
    assert_replay(
        ask(sliding(10 * MINUTE, 4 * MINUTE), "arrival"),
        """
        key | start | arrival | value
        a   | 00:09 | 00:10   | 1
        a   | 00:13 | 00:14   | 2
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 00:00..00:10 | early | 00:10 | 1      | 0    | 1
        a   | 00:04..00:14 | early | 00:10 | 1      | 0    | 1
        a   | 00:04..00:14 | early | 00:14 | 2      | 0    | 3
        a   | 00:08..00:18 | early | 00:10 | 1      | 0    | 1
        a   | 00:08..00:18 | early | 00:14 | 2      | 0    | 3
        a   | 00:12..00:22 | early | 00:14 | 1      | 0    | 2
        """,
    )


def test_windows_before_the_origin_exist():
    origin = datetime(2030, 1, 1, 0, 3, tzinfo=UTC)
    assert_replay(
        ask(tumbling(10 * MINUTE, origin=origin), "arrival"),
        """
        key | start | arrival | value
        a   | 10:02 | 10:04   | 1
        a   | 10:03 | 10:04   | 2
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 09:53..10:03 | early | 10:04 | 1      | 0    | 1
        a   | 10:03..10:13 | early | 10:04 | 1      | 0    | 2
        """,
    )


def test_windows_before_the_epoch_exist():
    assert_replay(
        ask(tumbling(timedelta(days=7)), "arrival"),
        """
        key | start            | arrival          | value
        a   | 1969-12-31 23:59 | 1969-12-31 23:59 | 1
        a   | 1970-01-01 00:00 | 1970-01-01 00:00 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 1969-12-25 00:00..1970-01-01 00:00 | early | 1969-12-31 23:59 | 1      | 0    | 1
        a   | 1970-01-01 00:00..1970-01-08 00:00 | early | 1970-01-01 00:00 | 1      | 0    | 2
        """,
    )


def test_an_origin_in_another_zone_is_the_same_instant():
    origin = datetime(2024, 3, 1, 15, 33, tzinfo=timezone(timedelta(hours=5, minutes=30)))
    assert_replay(
        ask(tumbling(10 * MINUTE, origin=origin), "arrival"),
        """
        key | start | arrival | value
        a   | 10:05 | 10:05   | 1
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:03..10:13 | early | 10:05 | 1      | 0    | 1
        """,
    )


GAPS = """
    key | start | arrival | value
    a   | 10:03 | 10:04   | 1
    a   | 10:05 | 10:06   | 2
    a   | 10:09 | 10:10   | 4
    a   | 10:30 | 10:31   | 8
    a   | 10:07 | 10:32   | 16
    a   | 10:01 | 10:33   | 32
    """


def test_between_windows_with_gaps_an_event_is_in_none():
    """Five minutes in every ten: 10:05, 10:07 and 10:09 are in no window, but 10:05 moves the watermark."""
    assert_replay(
        ask(sliding(5 * MINUTE, 10 * MINUTE)),
        GAPS,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:05 | on_time | 10:06 | 1      | 0    | 1
        """,
    )


def test_an_event_in_no_window_is_not_too_late_for_any():
    assert_late(
        ask(sliding(5 * MINUTE, 10 * MINUTE)),
        GAPS,
        """
        seq | first_missed | last_missed | windows_missed | late_by
        5   | 10:00        | 10:00       | 1              | 1500000000
        """,
    )


def test_a_late_event_is_held_by_the_windows_that_are_still_open():
    """At 10:14 the watermark is 10:12: 10:03 misses the windows that end at 10:05 and 10:10, not that to 10:15."""
    query = ask(sliding(15 * MINUTE, 5 * MINUTE))
    story = """
        key | start | arrival | value
        a   | 10:12 | 10:13   | 1
        a   | 10:03 | 10:14   | 2
        a   | 10:15 | 10:16   | 4
        """
    assert_late(
        query,
        story,
        """
        seq | first_missed | last_missed | windows_missed | late_by
        1   | 09:50        | 09:55       | 2              | 420000000
        """,
    )
    assert_replay(
        query,
        story,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:15 | on_time | 10:16 | 2      | 0    | 3
        """,
    )


def test_late_for_one_window_and_on_time_for_another():
    assert_replay(
        ask(sliding(20 * MINUTE, 10 * MINUTE), allowed=60 * MINUTE),
        """
        key | start | arrival | value
        a   | 10:11 | 10:12   | 1
        a   | 10:05 | 10:13   | 2
        a   | 10:20 | 10:21   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 09:50..10:10 | late    | 10:13 | 1      | 1    | 2
        a   | 10:00..10:20 | on_time | 10:21 | 2      | 0    | 3
        """,
    )


def test_a_window_may_be_longer_than_the_stream():
    assert_replay(
        ask(tumbling(timedelta(days=3650))),
        """
        key | start | arrival | value
        a   | 10:05 | 10:06   | 1
        a   | 10:07 | 10:08   | 2
        """,
        """
        key | window                             | pane    | at    | events | late | total
        a   | 2019-12-20 00:00..2029-12-17 00:00 | on_time | 10:08 | 2      | 0    | 3
        """,
        complete=True,
    )
