"""Times of a figure are those of its zone's clocks, on the day that has 25 hours too."""

from datetime import UTC, datetime

from windrow.pipelines.report.clock import axis_labels, clock_times

NEW_YORK = "America/New_York"


def test_the_ticks_of_days_are_local_midnights_and_name_the_date_once():
    times = clock_times(datetime(2018, 11, 3, 16, tzinfo=UTC), datetime(2018, 11, 5, 15, tzinfo=UTC), NEW_YORK, 7)
    labels = ["Nov 03, 12:00", "Nov 04", "12:00", "Nov 05", "12:00"]
    assert [*axis_labels(times).values()] == labels
    hours = [(after.at_ms - before.at_ms) / 3_600_000 for before, after in zip(times, times[1:], strict=False)]
    assert hours == [12, 13, 12, 12]


def test_a_moment_of_the_hour_that_comes_twice_is_there_twice():
    times = clock_times(datetime(2018, 11, 4, 5, tzinfo=UTC), datetime(2018, 11, 4, 7, tzinfo=UTC), NEW_YORK, 200)
    shown = [each.text for each in times]
    assert len(times) == len({each.at_ms for each in times})
    assert shown.count("2018-11-04 01:30") == 2
