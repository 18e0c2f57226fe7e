"""How a message shows a value, and what it says was meant."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.schemas import registry
from windrow.schemas.errors import NotServed, UnknownName, WrongParameter
from windrow.schemas.spelling import did_you_mean, in_words, shown

COLUMNS = {column.name for stream in registry.streams().values() for column in stream.columns}
NAMES = sorted({*registry.stream_names(), *registry.query_names(), *COLUMNS})


@given(st.sampled_from(NAMES), st.data())
def test_a_word_with_a_letter_left_out_or_twice_is_answered_with_itself(word, data):
    at = data.draw(st.integers(1, len(word) - 1))
    typed = data.draw(st.sampled_from([word[:at] + word[at + 1 :], word[:at] + word[at - 1] + word[at:]]))
    if typed not in NAMES:
        assert did_you_mean(typed, [word]) == f". Did you mean {word!r}?"


def test_another_word_that_begins_alike_is_no_slip():
    assert did_you_mean("station", ["start", "end", "arrival", "seq"]) == ""


@pytest.mark.parametrize("error", [
    UnknownName("table", "bikes_demnd", NAMES),
    WrongParameter("column", "bikes_demnd", "a column: " + ", ".join(NAMES), NAMES),
    NotServed("query", "bikes_demnd", NAMES),
], ids=lambda error: type(error).__name__)  # fmt: skip
def test_what_was_meant_stands_before_what_else_there_is(error):
    before, meant, after = str(error).partition(" Did you mean 'bikes_demand'? ")
    assert meant and "'bikes_demnd'" in before and "bikes_daily" in after and len(before) < 80
    assert f"; known: {min(NAMES)} and {len(NAMES) - 1} more" in str(UnknownName("table", "zzz", NAMES, most=1))


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


def test_a_duration_has_the_units_that_fit_and_everything_else_is_as_python_writes_it():
    assert {duration: in_words(duration) for duration in WORDS} == WORDS
    values = (timedelta(days=1), timedelta(0), timedelta(hours=-1), "a", None, 1.5)
    assert [*map(shown, values)] == ["1 day", "0 seconds", "minus 1 hour", "'a'", "None", "1.5"]
