"""How a message shows a value, and which known name a wrong one may have been meant for."""

from collections.abc import Iterable
from datetime import timedelta
from difflib import get_close_matches

from schemas.durations import in_words


def shown(value: object) -> str:
    """A value as somebody would write it; a duration in words."""
    if not isinstance(value, timedelta):
        return repr(value)
    return in_words(value) if value else "0 seconds"


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: ". Did you mean 'sum'?", or nothing where none is near."""
    near = get_close_matches(str(word), list(known), n=1)
    return f". Did you mean {near[0]!r}?" if near else ""
