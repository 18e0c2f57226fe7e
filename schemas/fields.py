"""Text of one field to a value, strictly: Python's own int() and float() also take `1_000`, ` 7 ` and `nan`.

Answers are remembered, since the same stations, years and lengths come again and again.
"""

import re
from functools import lru_cache
from typing import NoReturn

_WHOLE = re.compile(r"-?\d{1,30}", re.ASCII)
_DECIMAL = re.compile(r"-?\d{1,30}(\.\d{0,30})?([eE][-+]?\d{1,3})?", re.ASCII)


@lru_cache(maxsize=1 << 16)
def whole_number(text: str) -> int:
    """A whole number; ValueError names any other text."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"{_shown(text)} is not a whole number")
    return int(text)


@lru_cache(maxsize=1 << 14)
def decimal_number(text: str) -> float:
    """A decimal number, infinite where beyond floats (a column's range refuses it); else ValueError."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError(f"{_shown(text)} is not a decimal number")
    return float(text)


@lru_cache(maxsize=1 << 16)
def whole_or_none(text: str) -> int | None:
    """A whole number; None for an empty field."""
    return whole_number(text) if text else None


@lru_cache(maxsize=1 << 14)
def decimal_or_none(text: str) -> float | None:
    """A decimal number; None for an empty field."""
    return decimal_number(text) if text else None


class Choices(dict):
    """What each allowed text stands for: `choices[text]`; for any other ValueError lists the allowed ones."""

    def __missing__(self, text: str) -> NoReturn:
        raise ValueError(f"{_shown(text)} is none of {', '.join(map(repr, self))}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:60] + "…")
