"""Which known name a wrong one may have been meant for."""

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: ". Did you mean 'sum'?", or nothing where none is near."""
    near = get_close_matches(str(word), list(known), n=1)
    return f". Did you mean {near[0]!r}?" if near else ""
