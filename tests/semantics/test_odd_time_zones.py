"""Time zones that are less regular than New York's: quarter hours, missing midnights and dates (semantics §2)."""

from schemas.query import tumbling
from tests.support.semantics.queries import DAY, HOUR, ask
from tests.support.semantics.spec_tables import assert_replay

NEW_YORK = "America/New_York"


def test_an_offset_of_a_quarter_hour():
    """Nepal is 5:45 ahead of UTC, so its hours start at a quarter past UTC's."""
    assert_replay(
        ask(tumbling(HOUR, zone="Asia/Kathmandu"), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-03-10 10:14 | 2024-03-10 11:00 | 1
        a   | 2024-03-10 10:15 | 2024-03-10 11:00 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-03-10 09:15..2024-03-10 10:15 | early | 2024-03-10 11:00 | 1      | 0    | 1
        a   | 2024-03-10 10:15..2024-03-10 11:15 | early | 2024-03-10 11:00 | 1      | 0    | 2
        """,
    )


def test_a_change_of_half_an_hour():
    """Lord Howe Island went back by 30 minutes on 7 April 2024: a day of 24.5 hours, last window 30 minutes."""
    assert_replay(
        ask(tumbling(HOUR, zone="Australia/Lord_Howe"), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-04-07 13:10 | 2024-04-07 14:00 | 1
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-04-07 13:00..2024-04-07 13:30 | early | 2024-04-07 14:00 | 1      | 0    | 1
        """,
    )


def test_a_day_whose_midnight_does_not_exist_starts_at_the_change():
    """Beirut, 31 March 2024: clocks went from 00:00 to 01:00 at 22:00 UTC."""
    assert_replay(
        ask(tumbling(DAY, zone="Asia/Beirut"), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2024-03-30 21:59 | 2024-04-01 00:00 | 1
        a   | 2024-03-30 22:00 | 2024-04-01 00:00 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2024-03-29 22:00..2024-03-30 22:00 | early | 2024-04-01 00:00 | 1      | 0    | 1
        a   | 2024-03-30 22:00..2024-03-31 21:00 | early | 2024-04-01 00:00 | 1      | 0    | 2
        """,
    )


def test_a_date_that_a_zone_left_out_has_no_window():
    """Samoa went from 29 to 31 December 2011 at 10:00 UTC on the 30th."""
    assert_replay(
        ask(tumbling(DAY, zone="Pacific/Apia"), "arrival"),
        """
        key | start            | arrival          | value
        a   | 2011-12-30 09:59 | 2011-12-31 00:00 | 1
        a   | 2011-12-30 10:00 | 2011-12-31 00:00 | 2
        """,
        """
        key | window                             | pane  | at               | events | late | total
        a   | 2011-12-29 10:00..2011-12-30 10:00 | early | 2011-12-31 00:00 | 1      | 0    | 1
        a   | 2011-12-30 10:00..2011-12-31 10:00 | early | 2011-12-31 00:00 | 1      | 0    | 2
        """,
    )
