"""How a message shows a value, and what it says was meant."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import registry
from schemas.errors import NotServed, UnknownName, WrongParameter
from schemas.spelling import did_you_mean, shown

COLUMNS = {column.name for stream in registry.streams().values() for column in stream.columns}
WORDS = sorted({*registry.stream_names(), *registry.query_names(), *COLUMNS})


def test_durations_are_words_and_everything_else_is_as_python_writes_it():
    assert [shown(each) for each in (timedelta(days=1), timedelta(0), timedelta(hours=-1), "a", None, 1.5)] == [
        *("1 day", "0 seconds", "minus 1 hour", "'a'", "None", "1.5")
    ]


@given(st.sampled_from(WORDS), st.data())
def test_a_word_with_a_letter_left_out_or_twice_is_answered_with_itself(word, data):
    at = data.draw(st.integers(1, len(word) - 1))
    typed = data.draw(st.sampled_from([word[:at] + word[at + 1 :], word[:at] + word[at - 1] + word[at:]]))
    if typed not in WORDS:
        assert did_you_mean(typed, [word]) == f". Did you mean {word!r}?"


def test_another_word_that_begins_alike_is_no_slip():
    assert did_you_mean("station", ["start", "end", "arrival", "seq"]) == ""


@pytest.mark.parametrize("error", [
    UnknownName("table", "bikes_demnd", WORDS),
    WrongParameter("column", "bikes_demnd", "a column: " + ", ".join(WORDS), WORDS),
    NotServed("query", "bikes_demnd", WORDS),
], ids=lambda error: type(error).__name__)  # fmt: skip
def test_what_was_meant_stands_before_what_else_there_is(error):
    before, meant, after = str(error).partition(" Did you mean 'bikes_demand'? ")
    assert meant and "'bikes_demnd'" in before and "bikes_daily" in after and len(before) < 80
