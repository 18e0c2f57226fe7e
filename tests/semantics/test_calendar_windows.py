"""Windows of a time zone: days of 23, 24 and 25 hours, and their parts (semantics §2)."""

from datetime import date, timedelta

from schemas.query import sliding, tumbling
from tests.support.semantics.queries import DAY, HOUR, MINUTE, ask
from tests.support.semantics.spec_tables import assert_late, assert_replay

NEW_YORK = "America/New_York"


def test_the_day_on_which_clocks_go_forward_has_23_hours():
    """10 March 2024: midnight is 05:00 UTC before the change and 04:00 UTC after it."""
    assert_replay(
        ask(tumbling(DAY, zone=NEW_YORK)),
        """
        key | start                   | arrival          | value
        a   | 2024-03-10 04:59:59     | 2024-03-11 06:00 | 1
        a   | 2024-03-10 05:00        | 2024-03-11 06:00 | 2
        a   | 2024-03-11 03:59:59     | 2024-03-11 06:00 | 4
        a   | 2024-03-11 04:00        | 2024-03-11 06:00 | 8
        """,
        """
        key | window                             | pane    | at               | events | late | total
        a   | 2024-03-09 05:00..2024-03-10 05:00 | on_time | 2024-03-11 06:00 | 1      | 0    | 1
        a   | 2024-03-10 05:00..2024-03-11 04:00 | on_time | 2024-03-11 06:00 | 2      | 0    | 6
        """,
    )


def test_the_day_on_which_clocks_go_back_has_25_hours():
    """4 November 2018 lasts from 04:00 UTC to 05:00 UTC of the next day."""
    assert_replay(
        ask(tumbling(DAY, zone=NEW_YORK), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2018-11-04 04:00 | 2018-11-06 00:00 | 1
        a   | 2018-11-05 04:59 | 2018-11-06 00:00 | 2
        a   | 2018-11-05 05:00 | 2018-11-06 00:00 | 4
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2018-11-04 04:00..2018-11-05 05:00 | early | 2018-11-06 00:00 | 2      | 0    | 3
        a   | 2018-11-05 05:00..2018-11-06 05:00 | early | 2018-11-06 00:00 | 1      | 0    | 4
        """,
    )


def test_a_repeated_hour_is_two_windows():
    """01:30 comes twice on 4 November 2018 in New York: 05:30 and 06:30 UTC."""
    assert_replay(
        ask(tumbling(HOUR, zone=NEW_YORK), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2018-11-04 05:30 | 2018-11-04 07:00 | 1
        a   | 2018-11-04 06:30 | 2018-11-04 07:00 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2018-11-04 05:00..2018-11-04 06:00 | early | 2018-11-04 07:00 | 1      | 0    | 1
        a   | 2018-11-04 06:00..2018-11-04 07:00 | early | 2018-11-04 07:00 | 1      | 0    | 2
        """,
    )


def test_a_days_last_window_may_be_shorter():
    """Two-hour parts of a 23-hour and of a 25-hour day end with an hour."""
    query = ask(tumbling(2 * HOUR, zone=NEW_YORK), "arrival")
    assert_replay(
        query,
        """
        key | start            | arrival          | value
        a   | 2024-03-11 03:30 | 2024-03-11 05:00 | 1
        a   | 2024-03-11 04:30 | 2024-03-11 05:00 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-03-11 03:00..2024-03-11 04:00 | early | 2024-03-11 05:00 | 1      | 0    | 1
        a   | 2024-03-11 04:00..2024-03-11 06:00 | early | 2024-03-11 05:00 | 1      | 0    | 2
        """,
    )
    assert_replay(
        query,
        """
        key | start            | arrival          | value
        a   | 2018-11-05 04:30 | 2018-11-05 07:00 | 1
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2018-11-05 04:00..2018-11-05 05:00 | early | 2018-11-05 07:00 | 1      | 0    | 1
        """,
    )


def test_a_week_may_have_an_hour_less():
    """Weeks from Monday 1 January 2024: that of 4 March starts at 05:00 UTC and ends at 04:00 UTC."""
    assert_replay(
        ask(tumbling(7 * DAY, origin=date(2024, 1, 1), zone=NEW_YORK), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-03-04 05:00 | 2024-03-12 00:00 | 1
        a   | 2024-03-11 03:59 | 2024-03-12 00:00 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-03-04 05:00..2024-03-11 04:00 | early | 2024-03-12 00:00 | 2      | 0    | 3
        """,
    )


def test_two_days_that_slide_by_one():
    assert_replay(
        ask(sliding(2 * DAY, DAY, zone=NEW_YORK), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-03-10 12:00 | 2024-03-12 00:00 | 1
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-03-09 05:00..2024-03-11 04:00 | early | 2024-03-12 00:00 | 1      | 0    | 1
        a   | 2024-03-10 05:00..2024-03-12 04:00 | early | 2024-03-12 00:00 | 1      | 0    | 1
        """,
    )


def test_a_day_that_slides_by_parts_ends_as_long_after_midnight_as_it_starts():
    """12-hour slides over the 25 hours of 4 November 2018: its third cut, at 24 hours, starts a window too."""
    assert_replay(
        ask(sliding(DAY, 12 * HOUR, zone=NEW_YORK), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2018-11-05 04:30 | 2018-11-05 07:00 | 1
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2018-11-04 04:00..2018-11-05 05:00 | early | 2018-11-05 07:00 | 1      | 0    | 1
        a   | 2018-11-04 16:00..2018-11-05 17:00 | early | 2018-11-05 07:00 | 1      | 0    | 1
        a   | 2018-11-05 04:00..2018-11-06 05:00 | early | 2018-11-05 07:00 | 1      | 0    | 1
        """,
    )


def test_parts_that_slide_cross_midnight_as_consecutive_cuts():
    assert_replay(
        ask(sliding(6 * HOUR, 2 * HOUR, zone=NEW_YORK), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-03-11 03:30 | 2024-03-11 05:00 | 1
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-03-10 23:00..2024-03-11 04:00 | early | 2024-03-11 05:00 | 1      | 0    | 1
        a   | 2024-03-11 01:00..2024-03-11 06:00 | early | 2024-03-11 05:00 | 1      | 0    | 1
        a   | 2024-03-11 03:00..2024-03-11 08:00 | early | 2024-03-11 05:00 | 1      | 0    | 1
        """,
    )


def test_the_first_hours_of_every_second_day():
    """Gaps: six hours from midnight, on days an even number after the origin."""
    assert_replay(
        ask(sliding(6 * HOUR, 2 * DAY, origin=date(2024, 3, 10), zone=NEW_YORK), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-03-10 10:59 | 2024-03-13 00:00 | 1
        a   | 2024-03-10 11:00 | 2024-03-13 00:00 | 2
        a   | 2024-03-11 05:00 | 2024-03-13 00:00 | 4
        a   | 2024-03-12 04:00 | 2024-03-13 00:00 | 8
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-03-10 05:00..2024-03-10 11:00 | early | 2024-03-13 00:00 | 1      | 0    | 1
        a   | 2024-03-12 04:00..2024-03-12 10:00 | early | 2024-03-13 00:00 | 1      | 0    | 8
        """,
    )


def test_windows_that_start_together_differ_in_their_end():
    """Two-day windows from Samoa's missing 30 December and from the 31st start at the same instant."""
    assert_replay(
        ask(sliding(2 * DAY, DAY, zone="Pacific/Apia"), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2011-12-30 10:00 | 2011-12-31 00:00 | 1
        a   | 2011-12-30 11:00 | 2011-12-31 00:01 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2011-12-30 10:00..2011-12-31 10:00 | early | 2011-12-31 00:00 | 1      | 0    | 1
        a   | 2011-12-30 10:00..2011-12-31 10:00 | early | 2011-12-31 00:01 | 2      | 0    | 3
        a   | 2011-12-30 10:00..2012-01-01 10:00 | early | 2011-12-31 00:00 | 1      | 0    | 1
        a   | 2011-12-30 10:00..2012-01-01 10:00 | early | 2011-12-31 00:01 | 2      | 0    | 3
        """,
    )


def test_a_late_event_misses_calendar_windows_by_their_true_ends():
    """The 25-hour day ended at 05:00 UTC; the watermark stood at 05:10, 10 minutes later."""
    assert_late(
        ask(sliding(DAY, 12 * HOUR, zone=NEW_YORK), allowed=5 * MINUTE),
        """
        key | start            | arrival          | value
        a   | 2018-11-05 05:10 | 2018-11-05 06:00 | 1
        a   | 2018-11-05 04:30 | 2018-11-05 06:01 | 2
        a   | 2018-11-04 06:00 | 2018-11-05 06:02 | 4
        """,
        """
        seq | first_missed     | last_missed      | windows_missed | late_by
        1   | 2018-11-04 04:00 | 2018-11-04 04:00 | 1              | 600000000
        2   | 2018-11-03 16:00 | 2018-11-04 04:00 | 2              | 47400000000
        """,
    )


def test_utc_as_a_zone_is_no_zone():
    story = """
        key | start | arrival | value
        a   | 23:30 | 23:40   | 1
        """
    rows = """
        key | window             | pane  | at    | events | late | total
        a   | 20:00..+1 02:00    | early | 23:40 | 1      | 0    | 1
        """
    for zone in ("UTC", None):
        assert_replay(ask(sliding(6 * HOUR, 4 * HOUR, zone=zone), "arrival"), story, rows)


def test_a_window_may_span_many_changes_of_the_clocks():
    assert_replay(
        ask(sliding(365 * DAY, timedelta(days=183), zone=NEW_YORK, origin=date(2024, 1, 1)), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-07-04 00:00 | 2024-07-04 00:00 | 1
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-01-01 05:00..2024-12-31 05:00 | early | 2024-07-04 00:00 | 1      | 0    | 1
        a   | 2024-07-02 04:00..2025-07-02 04:00 | early | 2024-07-04 00:00 | 1      | 0    | 1
        """,
    )
