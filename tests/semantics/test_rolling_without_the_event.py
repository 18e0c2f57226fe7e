"""Rolling windows without the event itself: [u − size, u) for each event time u that the key has seen (semantics §2)"""

from schemas.query import rolling
from tests.support.semantics.queries import HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import assert_late, assert_replay

BEFORE = rolling(10 * MINUTE, closed="left")
LATE = """
    key | start | arrival | value
    a   | 10:00 | 10:01   | 1
    a   | 10:08 | 10:09   | 2
    a   | 10:04 | 10:10   | 4
    """


def test_a_window_holds_its_far_end_and_not_u_and_passes_when_the_watermark_reaches_u():
    """10:05 is exactly ten minutes before 10:15. Nothing came in the ten minutes before 10:05 or 10:30: no row."""
    assert_replay(
        ask(BEFORE),
        """
        key | start | arrival | value
        a   | 10:05 | 10:06   | 1
        a   | 10:15 | 10:16   | 2
        a   | 10:15 | 10:17   | 4
        a   | 10:30 | 10:31   | 8
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:05..10:15 | on_time | 10:16 | 1      | 0    | 1
        """,
    )


def test_a_late_event_revises_the_windows_after_it_and_makes_its_own():
    """Its own holds the event of 10:00, which was in time."""
    assert_replay(
        ask(BEFORE, allowed=HOUR),
        LATE,
        """
        key | window       | pane    | at    | events | late | total
        a   | 09:54..10:04 | late    | 10:10 | 1      | 0    | 1
        a   | 09:58..10:08 | on_time | 10:09 | 1      | 0    | 1
        a   | 09:58..10:08 | late    | 10:10 | 2      | 1    | 5
        """,
    )


def test_an_event_may_be_too_late_to_make_its_own_window():
    """That is one of those that it missed, though it would not be in it."""
    assert_late(
        ask(BEFORE),
        LATE,
        """
        seq | first_missed | last_missed | windows_missed | late_by
        2   | 09:54        | 09:58       | 2              | 240000000
        """,
    )


def test_with_emit_arrival_an_event_that_repeats_the_youngest_time_changes_nothing():
    assert_replay(
        ask(BEFORE, "arrival", allowed=HOUR),
        """
        key | start | arrival | value
        a   | 10:00 | 10:01   | 1
        a   | 10:08 | 10:09   | 2
        a   | 10:08 | 10:10   | 8
        a   | 10:04 | 10:11   | 4
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 09:58..10:08 | early | 10:09 | 1      | 0    | 1
        a   | 09:58..10:08 | late  | 10:11 | 2      | 1    | 5
        """,
    )
