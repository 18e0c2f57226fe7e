"""Windows over events that last: an event is in every window that its interval meets (semantics §2)."""

from schemas.query import spanning
from tests.support.semantics.queries import DAY, HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import assert_late, assert_replay

FIFTEEN_BY_FIVE = spanning(15 * MINUTE, 5 * MINUTE, longest=HOUR)
TEN = spanning(10 * MINUTE, 10 * MINUTE, longest=HOUR)


def test_an_event_is_once_in_every_window_that_it_meets():
    assert_replay(
        ask(FIFTEEN_BY_FIVE, "arrival"),
        """
        key | start        | arrival | value
        a   | 10:07..10:16 | 10:16   | 3
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 09:55..10:10 | early | 10:16 | 1      | 0    | 3
        a   | 10:00..10:15 | early | 10:16 | 1      | 0    | 3
        a   | 10:05..10:20 | early | 10:16 | 1      | 0    | 3
        a   | 10:10..10:25 | early | 10:16 | 1      | 0    | 3
        a   | 10:15..10:30 | early | 10:16 | 1      | 0    | 3
        """,
    )


def test_an_event_that_ends_where_a_window_starts_is_not_in_it_but_a_point_there_is():
    assert_replay(
        ask(TEN, "arrival"),
        """
        key | start        | arrival | value
        a   | 10:05..10:10 | 10:10   | 1
        b   | 10:10..10:10 | 10:10   | 2
        c   | 10:10..10:20 | 10:20   | 4
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | early | 10:10 | 1      | 0    | 1
        b   | 10:10..10:20 | early | 10:10 | 1      | 0    | 2
        c   | 10:10..10:20 | early | 10:20 | 1      | 0    | 4
        """,
    )


def test_an_event_longer_than_the_window_is_in_the_windows_between_too():
    assert_replay(
        ask(TEN, "final"),
        """
        key | start        | arrival | value
        a   | 10:05..10:35 | 10:35   | 1
        a   | 10:50..10:50 | 10:50   | 2
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | final | 10:50 | 1      | 0    | 1
        a   | 10:10..10:20 | final | 10:50 | 1      | 0    | 1
        a   | 10:20..10:30 | final | 10:50 | 1      | 0    | 1
        a   | 10:30..10:40 | final | 10:50 | 1      | 0    | 1
        """,
    )


def test_sizes_that_the_slide_does_not_divide_are_cut_into_pairs_of_slices():
    assert_replay(
        ask(spanning(7 * MINUTE, 5 * MINUTE, longest=HOUR), "arrival"),
        """
        key | start        | arrival | value
        a   | 10:01..10:06 | 10:06   | 1
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 09:55..10:02 | early | 10:06 | 1      | 0    | 1
        a   | 10:00..10:07 | early | 10:06 | 1      | 0    | 1
        a   | 10:05..10:12 | early | 10:06 | 1      | 0    | 1
        """,
    )


def test_an_event_between_two_windows_is_in_none_and_is_not_late():
    gaps = spanning(5 * MINUTE, 10 * MINUTE, longest=HOUR)
    rows = """
        key | start        | arrival | value
        a   | 10:06..10:09 | 10:09   | 1
        a   | 10:04..10:11 | 10:11   | 2
        """
    assert_replay(
        ask(gaps, "arrival", allowed=DAY),
        rows,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:05 | late  | 10:11 | 1      | 1    | 2
        a   | 10:10..10:15 | early | 10:11 | 1      | 0    | 2
        """,
    )
    assert_late(ask(gaps, "arrival", allowed=DAY), rows, "")


def test_an_event_that_comes_after_its_end_changes_the_windows_of_its_own_interval():
    """SPANS §8 leaves this as future work: there an event belongs to the newest slices."""
    assert_replay(
        ask(TEN, allowed=HOUR),
        """
        key | start        | arrival | value
        a   | 10:01..10:02 | 10:02   | 1
        a   | 10:31..10:32 | 10:32   | 2
        a   | 10:05..10:15 | 10:33   | 4
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:32 | 1      | 0    | 1
        a   | 10:00..10:10 | late    | 10:33 | 2      | 1    | 5
        a   | 10:10..10:20 | late    | 10:33 | 1      | 1    | 4
        """,
    )


def test_an_event_may_be_too_late_for_its_first_windows_and_in_time_for_its_last():
    rows = """
        key | start        | arrival | value
        a   | 10:25..10:26 | 10:26   | 1
        a   | 10:05..10:35 | 10:36   | 2
        a   | 10:55..10:55 | 10:55   | 4
        """
    assert_replay(
        ask(TEN),
        rows,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:20..10:30 | on_time | 10:55 | 2      | 0    | 3
        a   | 10:30..10:40 | on_time | 10:55 | 1      | 0    | 2
        """,
    )
    assert_late(
        ask(TEN),
        rows,
        """
        seq | first_missed | last_missed | windows_missed | late_by
        1   | 10:00        | 10:10       | 2              | 900_000_000
        """,
    )


def test_an_event_longer_than_the_longest_is_in_no_window_and_moves_the_watermark():
    query, rows = (
        ask(spanning(10 * MINUTE, 10 * MINUTE, longest=15 * MINUTE)),
        """
        key | start        | arrival | value
        a   | 10:01..10:16 | 10:16   | 1
        a   | 10:31..10:47 | 10:47   | 2
        """,
    )
    assert_replay(
        query,
        rows,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:47 | 1      | 0    | 1
        a   | 10:10..10:20 | on_time | 10:47 | 1      | 0    | 1
        """,
    )
    assert_late(
        query,
        rows,
        """
        seq | first_missed | last_missed | windows_missed | late_by        | reason
        1   | 10:30        | 10:40       | 2              | -2_340_000_000 | too long
        """,
    )
