"""What a replay may cost, as whoever asks for it says: rows, and seconds."""

from dataclasses import dataclass
from typing import TypeGuard

from schemas.errors import WrongParameter

MOST_ROWS, MOST_SECONDS = 1 << 60, 10**9
"""The largest limits: beyond, a limit says nothing."""
_ROWS = "a whole number of rows, from 1 to 2**60"
_SECONDS = f"a number of seconds, above 0 and up to {MOST_SECONDS:,}"


@dataclass(frozen=True)
class ReplayLimits:
    """What each task of a replay may cost. None: as many rows as a quarter of the machine's memory holds; any time."""

    most_rows: int | None = None
    most_seconds: float | None = None

    @classmethod
    def read(cls, rows: tuple[str, str | None], seconds: tuple[str, str | None]) -> "ReplayLimits":
        """From (name, text) of each. WrongParameter: a text that is no such number, by the name of what holds it."""
        return cls(_read_rows(*rows), read_seconds(*seconds))


def require_rows(name: str, most: object) -> int:
    """The most rows; WrongParameter, by that name, for what can't be so many."""
    if not _is_most_rows(most):
        raise WrongParameter(name, most, _ROWS)
    return most


def require_seconds(name: str, most: object) -> float:
    """The most seconds; WrongParameter, by that name, for what can't be so many."""
    if not _is_most_seconds(most):
        raise WrongParameter(name, most, _SECONDS)
    return most


def read_seconds(name: str, text: str | None) -> float | None:
    """A number of seconds; None for no text. WrongParameter, by that name, for a text that is no such number."""
    seconds = None if text is None else _number(float, text)
    if seconds is None or _is_most_seconds(seconds):
        return seconds
    raise WrongParameter(name, text, _SECONDS)


def _is_most_rows(most: object) -> TypeGuard[int]:
    return isinstance(most, int) and not isinstance(most, bool) and 1 <= most <= MOST_ROWS


def _is_most_seconds(most: object) -> TypeGuard[float]:
    return isinstance(most, int | float) and not isinstance(most, bool) and 0 < most <= MOST_SECONDS


def _read_rows(name: str, text: str | None) -> int | None:
    rows = None if text is None else _number(int, text)
    if rows is None or _is_most_rows(rows):
        return rows
    raise WrongParameter(name, text, _ROWS)


def _number(kind: type[int] | type[float], text: str) -> float:
    """NaN, which is within no limits, where the text is no number of that kind."""
    try:
        return kind(text)
    except ValueError:
        return float("nan")
