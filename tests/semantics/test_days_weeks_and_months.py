"""Days that begin elsewhere than at midnight, weeks and months of a time zone (semantics §2)."""

from datetime import datetime

from schemas.query import month, tumbling, week
from tests.support.semantics.queries import DAY, HOUR, ask
from tests.support.semantics.spec_tables import assert_replay

NEW_YORK = "America/New_York"


def test_a_day_may_begin_at_six_when_clocks_go_forward():
    """From 06:00 to 06:00 in New York: 11:00 UTC before the change of 10 March 2024 and 10:00 UTC after it."""
    assert_replay(
        ask(tumbling(DAY, origin=datetime(2024, 1, 1, 6), zone=NEW_YORK), "arrival"),
        """
        key | start               | arrival          | value
        a   | 2024-03-09 10:59:59 | 2024-03-12 00:00 | 1
        a   | 2024-03-09 11:00    | 2024-03-12 00:00 | 2
        a   | 2024-03-10 09:59:59 | 2024-03-12 00:00 | 4
        a   | 2024-03-10 10:00    | 2024-03-12 00:00 | 8
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-03-08 11:00..2024-03-09 11:00 | early | 2024-03-12 00:00 | 1      | 0    | 1
        a   | 2024-03-09 11:00..2024-03-10 10:00 | early | 2024-03-12 00:00 | 2      | 0    | 6
        a   | 2024-03-10 10:00..2024-03-11 10:00 | early | 2024-03-12 00:00 | 1      | 0    | 8
        """,
    )


def test_a_day_that_begins_at_six_has_25_hours_when_clocks_go_back():
    """The day of 3 November 2018: from 10:00 UTC to 11:00 UTC of the next. Its parts of two hours end with one."""
    story = """
        key | start            | arrival          | value
        a   | 2018-11-03 10:00 | 2018-11-05 00:00 | 1
        a   | 2018-11-04 10:59 | 2018-11-05 00:00 | 2
        a   | 2018-11-04 11:00 | 2018-11-05 00:00 | 4
        """
    assert_replay(
        ask(tumbling(DAY, origin=datetime(2018, 1, 1, 6), zone=NEW_YORK), "arrival"),
        story,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2018-11-03 10:00..2018-11-04 11:00 | early | 2018-11-05 00:00 | 2      | 0    | 3
        a   | 2018-11-04 11:00..2018-11-05 11:00 | early | 2018-11-05 00:00 | 1      | 0    | 4
        """,
    )
    assert_replay(
        ask(tumbling(2 * HOUR, origin=datetime(2018, 1, 1, 6), zone=NEW_YORK), "arrival"),
        story,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2018-11-03 10:00..2018-11-03 12:00 | early | 2018-11-05 00:00 | 1      | 0    | 1
        a   | 2018-11-04 10:00..2018-11-04 11:00 | early | 2018-11-05 00:00 | 1      | 0    | 2
        a   | 2018-11-04 11:00..2018-11-04 13:00 | early | 2018-11-05 00:00 | 1      | 0    | 4
        """,
    )


def test_months_are_as_long_as_the_calendar_says():
    """Rome, 2024: February has 29 days, and March an hour less than 31, since clocks go forward on the 31st."""
    assert_replay(
        ask(month(zone="Europe/Rome"), "arrival"),
        """
        key | start               | arrival          | value
        a   | 2024-01-31 22:59:59 | 2024-04-02 00:00 | 1
        a   | 2024-01-31 23:00    | 2024-04-02 00:00 | 2
        a   | 2024-02-29 22:59:59 | 2024-04-02 00:00 | 4
        a   | 2024-02-29 23:00    | 2024-04-02 00:00 | 8
        a   | 2024-03-31 21:59:59 | 2024-04-02 00:00 | 16
        a   | 2024-03-31 22:00    | 2024-04-02 00:00 | 32
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2023-12-31 23:00..2024-01-31 23:00 | early | 2024-04-02 00:00 | 1      | 0    | 1
        a   | 2024-01-31 23:00..2024-02-29 23:00 | early | 2024-04-02 00:00 | 2      | 0    | 6
        a   | 2024-02-29 23:00..2024-03-31 22:00 | early | 2024-04-02 00:00 | 2      | 0    | 24
        a   | 2024-03-31 22:00..2024-04-30 22:00 | early | 2024-04-02 00:00 | 1      | 0    | 32
        """,
    )


def test_quarters_may_begin_in_another_month_and_at_another_time_than_midnight():
    """From February, at 06:00 UTC. Before the origin there are windows too."""
    assert_replay(
        ask(month(3, origin=datetime(2024, 2, 1, 6)), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-02-01 05:59 | 2024-05-02 00:00 | 1
        a   | 2024-02-01 06:00 | 2024-05-02 00:00 | 2
        a   | 2024-05-01 05:59 | 2024-05-02 00:00 | 4
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2023-11-01 06:00..2024-02-01 06:00 | early | 2024-05-02 00:00 | 1      | 0    | 1
        a   | 2024-02-01 06:00..2024-05-01 06:00 | early | 2024-05-02 00:00 | 2      | 0    | 6
        """,
    )


def test_iso_weeks_begin_on_monday_also_where_the_year_changes():
    """2020 has a week 53: from Monday 28 December 2020. New York is five hours behind UTC then."""
    assert_replay(
        ask(week(NEW_YORK), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2020-12-28 04:59 | 2021-01-05 00:00 | 1
        a   | 2020-12-28 05:00 | 2021-01-05 00:00 | 2
        a   | 2021-01-04 04:59 | 2021-01-05 00:00 | 4
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2020-12-21 05:00..2020-12-28 05:00 | early | 2021-01-05 00:00 | 1      | 0    | 1
        a   | 2020-12-28 05:00..2021-01-04 05:00 | early | 2021-01-05 00:00 | 2      | 0    | 6
        """,
    )


def test_a_window_may_be_a_century():
    """1,200 months, the most: from 1970, and from 1870."""
    assert_replay(
        ask(month(1_200), "arrival"),
        """
        key | start            | arrival          | value
        a   | 1969-12-31 23:59 | 2024-05-02 00:00 | 1
        a   | 1970-01-01 00:00 | 2024-05-02 00:00 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 1870-01-01 00:00..1970-01-01 00:00 | early | 2024-05-02 00:00 | 1      | 0    | 1
        a   | 1970-01-01 00:00..2070-01-01 00:00 | early | 2024-05-02 00:00 | 1      | 0    | 2
        """,
    )
