"""Durations as somebody would say them."""

from datetime import timedelta

import pytest

from schemas.spelling import in_words

WORDS = {
    timedelta(0): "none",
    timedelta(microseconds=1): "1 microsecond",
    timedelta(milliseconds=100): "100 milliseconds",
    timedelta(seconds=1): "1 second",
    timedelta(seconds=119): "119 seconds",
    timedelta(seconds=120): "2 minutes",
    timedelta(hours=36): "36 hours",
    timedelta(days=1): "1 day",
    timedelta(days=5_000): "5,000 days",
    timedelta(hours=10, seconds=63): "10 hours 1 minute 3 seconds",
    timedelta(seconds=1, microseconds=500_001): "1 second 500 milliseconds 1 microsecond",
    timedelta(minutes=-5): "minus 5 minutes",
    timedelta.max: "without end",
}


@pytest.mark.parametrize("duration", WORDS, ids=WORDS.values())
def test_a_duration_has_the_units_that_fit(duration):
    assert in_words(duration) == WORDS[duration]
