"""How a message shows a value."""

from datetime import timedelta

from schemas.spelling import shown


def test_durations_are_words_and_everything_else_is_as_python_writes_it():
    assert [shown(each) for each in (timedelta(days=1), timedelta(0), timedelta(hours=-1), "a", None, 1.5)] == [
        *("1 day", "0 seconds", "minus 1 hour", "'a'", "None", "1.5")
    ]
