"""Which rows a replay emits, and when: final, watermark, arrival (semantics §3)."""

import pytest

from schemas.query import agg, tumbling
from tests.support.semantics.queries import MINUTE, ask
from tests.support.semantics.spec_tables import assert_late, assert_replay

TEN = tumbling(10 * MINUTE)
STORY = """
    key | start | arrival | value
    a   | 10:01 | 10:02   | 1
    a   | 10:05 | 10:06   | 2
    a   | 10:12 | 10:13   | 4
    a   | 10:03 | 10:14   | 8
    a   | 10:04 | 10:14   | 16
    a   | 10:02 | 10:15   | 32
    a   | 10:20 | 10:21   | 64
    a   | 10:06 | 10:22   | 128
    """


def test_watermark_says_a_row_at_the_end_and_one_for_each_later_tick_with_late_events():
    """The two events of 10:14 are one burst, one row; at 10:22 the watermark (10:20) passed end + allowed (10:18)."""
    assert_replay(
        ask(TEN, "watermark", allowed=8 * MINUTE),
        STORY,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:13 | 2      | 0    | 3
        a   | 10:00..10:10 | late    | 10:14 | 4      | 2    | 27
        a   | 10:00..10:10 | late    | 10:15 | 5      | 3    | 59
        a   | 10:10..10:20 | on_time | 10:21 | 1      | 0    | 4
        """,
    )


def test_final_says_one_row_when_nothing_more_can_come():
    """end + allowed is 10:18; the first start at or after it arrives at 10:21."""
    assert_replay(
        ask(TEN, "final", allowed=8 * MINUTE),
        STORY,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | final | 10:21 | 5      | 3    | 59
        """,
    )


def test_arrival_says_a_row_for_each_tick_that_changes_a_window():
    assert_replay(
        ask(TEN, "arrival", allowed=8 * MINUTE),
        STORY,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | early | 10:02 | 1      | 0    | 1
        a   | 10:00..10:10 | early | 10:06 | 2      | 0    | 3
        a   | 10:00..10:10 | late  | 10:14 | 4      | 2    | 27
        a   | 10:00..10:10 | late  | 10:15 | 5      | 3    | 59
        a   | 10:10..10:20 | early | 10:13 | 1      | 0    | 4
        a   | 10:20..10:30 | early | 10:21 | 1      | 0    | 64
        """,
    )


FIRST_ARE_LATE = """
    key | start | arrival | value
    b   | 10:12 | 10:13   | 1
    a   | 10:03 | 10:14   | 2
    a   | 10:04 | 10:15   | 4
    b   | 10:21 | 10:22   | 8
    """


def test_a_window_whose_first_events_are_all_late_starts_with_a_late_row():
    assert_replay(
        ask(TEN, allowed=10 * MINUTE, where=(("key", "==", "a"),)),
        FIRST_ARE_LATE,
        """
        key | window       | pane | at    | events | late | total
        a   | 10:00..10:10 | late | 10:14 | 1      | 1    | 2
        a   | 10:00..10:10 | late | 10:15 | 2      | 2    | 6
        """,
    )


def test_its_final_row_counts_them_all_late():
    assert_replay(
        ask(TEN, "final", allowed=10 * MINUTE),
        FIRST_ARE_LATE,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | final | 10:22 | 2      | 2    | 6
        """,
    )


def test_a_window_with_only_too_late_events_has_no_row():
    story = """
        key | start | arrival | value
        b   | 10:12 | 10:13   | 1
        a   | 10:03 | 10:14   | 2
        """
    for emit in ("final", "watermark", "arrival"):
        assert_replay(ask(TEN, emit, where=(("key", "==", "a"),)), story, "", complete=True)


def test_one_tick_can_pass_many_windows():
    assert_replay(
        ask(TEN),
        """
        key | start | arrival | value
        a   | 10:01 | 10:02   | 1
        b   | 10:11 | 10:12   | 2
        a   | 10:15 | 10:16   | 4
        c   | 10:55 | 10:56   | 8
        """,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:12 | 1      | 0    | 1
        a   | 10:10..10:20 | on_time | 10:56 | 1      | 0    | 4
        b   | 10:10..10:20 | on_time | 10:56 | 1      | 0    | 2
        """,
    )


COMPLETE = """
    key | start | arrival | value
    a   | 10:01 | 10:02   | 1
    a   | 10:12 | 10:13   | 2
    a   | 10:03 | 10:14   | 4
    """


def test_complete_passes_every_window_at_the_last_tick():
    assert_replay(
        ask(TEN, allowed=60 * MINUTE),
        COMPLETE,
        """
        key | window       | pane    | at    | events | late | total
        a   | 10:00..10:10 | on_time | 10:13 | 1      | 0    | 1
        a   | 10:00..10:10 | late    | 10:14 | 2      | 1    | 5
        a   | 10:10..10:20 | on_time | 10:14 | 1      | 0    | 2
        """,
        complete=True,
    )


def test_complete_finishes_every_window_at_the_last_tick():
    assert_replay(
        ask(TEN, "final", allowed=60 * MINUTE),
        COMPLETE,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | final | 10:14 | 2      | 1    | 5
        a   | 10:10..10:20 | final | 10:14 | 1      | 0    | 2
        """,
        complete=True,
    )


def test_complete_makes_nobody_late():
    assert_late(ask(TEN, allowed=60 * MINUTE), COMPLETE, "", complete=True)


def test_arrivals_do_not_wait_for_the_watermark_so_complete_changes_nothing():
    rows = """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | early | 10:02 | 1      | 0    | 1
        a   | 10:00..10:10 | late  | 10:14 | 2      | 1    | 5
        a   | 10:10..10:20 | early | 10:13 | 1      | 0    | 2
        """
    for complete in (False, True):
        assert_replay(ask(TEN, "arrival", allowed=60 * MINUTE), COMPLETE, rows, complete)


def test_the_order_within_a_tick_is_seq_and_the_row_covers_the_whole_burst():
    assert_replay(
        ask(TEN, "arrival"),
        """
        key | start | arrival | value
        a   | 10:05 | 10:06   | 1
        a   | 10:09 | 10:06   | 2
        a   | 10:01 | 10:06   | 4
        """,
        """
        key | window       | pane  | at    | events | late | total
        a   | 10:00..10:10 | early | 10:06 | 3      | 0    | 7
        """,
    )


def test_null_values_are_skipped_and_over_no_values_there_is_no_answer():
    aggregates = {
        "total": agg("sum", "value"),
        "least": agg("min", "value"),
        "most": agg("max", "value"),
        "values": agg("count", "value"),
        "rows": agg("count"),
    }
    assert_replay(
        ask(TEN, "arrival", aggregates=aggregates),
        """
        key | start | arrival | value
        a   | 10:01 | 10:02   |
        a   | 10:02 | 10:03   | -5
        a   | 10:03 | 10:04   |
        """,
        """
        key | window       | pane  | at    | events | late | total | least | most | values | rows
        a   | 10:00..10:10 | early | 10:02 | 1      | 0    |       |       |      | 0      | 1
        a   | 10:00..10:10 | early | 10:03 | 2      | 0    | -5    | -5    | -5   | 1      | 2
        a   | 10:00..10:10 | early | 10:04 | 3      | 0    | -5    | -5    | -5   | 1      | 3
        """,
    )


def test_a_null_key_is_a_group_of_its_own_and_comes_last():
    assert_replay(
        ask(TEN, "arrival"),
        """
        key | start | arrival | value
            | 10:01 | 10:02   | 1
        z   | 10:02 | 10:03   | 2
            | 10:03 | 10:04   | 4
        """,
        """
        key | window       | pane  | at    | events | late | total
        z   | 10:00..10:10 | early | 10:03 | 1      | 0    | 2
            | 10:00..10:10 | early | 10:02 | 1      | 0    | 1
            | 10:00..10:10 | early | 10:04 | 2      | 0    | 5
        """,
    )


@pytest.mark.parametrize("complete", [False, True])
def test_no_key_is_one_group(complete):
    assert_replay(
        ask(TEN, "arrival", key=()),
        """
        key | start | arrival | value
        a   | 10:01 | 10:02   | 1
        b   | 10:02 | 10:03   | 2
        """,
        """
        window       | pane  | at    | events | late | total
        10:00..10:10 | early | 10:02 | 1      | 0    | 1
        10:00..10:10 | early | 10:03 | 2      | 0    | 3
        """,
        complete,
    )
