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
    """What follows an unknown word in a message: ". Did you mean 'sum'?", or nothing where none is near."""
    # A long word needs more in common: 'station' isn't a slip for 'start'.
    near = get_close_matches(str(word), list(known), n=1, cutoff=0.7 if len(str(word)) > 4 else 0.6)
    return f". Did you mean {near[0]!r}?" if near else ""


def unknown(problem: str, word: object, known: Iterable[str], label: str, listed: str) -> str:
    """A message about a wrong word. What was meant comes first: what else there is may be a long list."""
    meant = did_you_mean(word, known)
    return f"{problem}{meant} {label.capitalize()}: {listed}" if meant else f"{problem}; {label}: {listed}"
