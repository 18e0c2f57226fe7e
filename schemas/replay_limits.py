"""What a replay may cost, as its caller says: rows, and seconds."""

from dataclasses import dataclass

from windrow.schemas.errors import WrongParameter

MOST_ROWS, MOST_SECONDS = 1 << 60, 10**9
"""The largest limits: beyond, a limit says nothing."""


@dataclass(frozen=True)
class ReplayLimits:
    """What each task of a replay may cost. None: as many rows as a quarter of the machine's memory holds; any time."""

    most_rows: int | None = None
    most_seconds: float | None = None

    @classmethod
    def read(cls, rows: tuple[str, str | None], seconds: tuple[str, str | None]) -> "ReplayLimits":
        """From (name, text) of each. WrongParameter: a text that is no such number, by the name of what holds it."""
        name, text = rows
        return cls(None if text is None else require_rows(name, _number(int, text), text), read_seconds(*seconds))


def require_rows(name: str, most: object, text: str | None = None) -> int:
    """The most rows; WrongParameter, by that name, for what can't be so many. text: as it was written."""
    if not isinstance(most, int) or isinstance(most, bool) or not 1 <= most <= MOST_ROWS:
        raise WrongParameter(name, most if text is None else text, "a whole number of rows, from 1 to 2**60")
    return most


def require_seconds(name: str, most: object, text: str | None = None) -> float:
    """The most seconds; as require_rows otherwise."""
    if not isinstance(most, int | float) or isinstance(most, bool) or not 0 < most <= MOST_SECONDS:
        allowed = f"a number of seconds, above 0 and up to {MOST_SECONDS:,}"
        raise WrongParameter(name, most if text is None else text, allowed)
    return most


def read_seconds(name: str, text: str | None) -> float | None:
    """A number of seconds; None for no text. WrongParameter, by that name, for a text that is no such number."""
    return None if text is None else require_seconds(name, _number(float, text), text)


def _number(kind: type[int] | type[float], text: str) -> float:
    """NaN, which is within no limits, where the text is no number of that kind."""
    try:
        return kind(text)
    except ValueError:
        return float("nan")
