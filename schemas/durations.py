"""Durations as somebody would say them, in messages and on pages."""

from collections.abc import Iterator
from datetime import timedelta

_UNITS = ((86_400_000_000, "day"), (3_600_000_000, "hour"), (60_000_000, "minute"), (1_000_000, "second"))
_BELOW_A_SECOND = ((1_000, "millisecond"), (1, "microsecond"))
_WITHOUT_END = timedelta(days=365 * 10_000)
_MOST_OF_A_UNIT = 120  # 90 seconds are read at once, 34,143 minutes aren't


def in_words(duration: timedelta) -> str:
    """1 day, 90 seconds, 10 hours 1 minute 3 seconds, 100 milliseconds; none, without end."""
    if duration >= _WITHOUT_END:
        return "without end"
    us = duration // timedelta(microseconds=1)
    if us < 0:
        return f"minus {in_words(-duration)}"
    for unit_us, unit in _UNITS:
        if 0 < us < _MOST_OF_A_UNIT * unit_us and us % unit_us == 0:
            return _counted(us // unit_us, unit)
    return " ".join(_parts(us)) or "none"


def _parts(us: int) -> Iterator[str]:
    for unit_us, unit in (*_UNITS, *_BELOW_A_SECOND):
        count, us = divmod(us, unit_us)
        if count:
            yield _counted(count, unit)


def _counted(count: int, unit: str) -> str:
    return f"{count:,} {unit}{'' if count == 1 else 's'}"
