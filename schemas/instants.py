"""Times with an offset to microseconds; and the one rule for what is finer than these.

Tables hold whole microseconds. Digits beyond them are refused, with the value, unless they are zeros or the layout asks
for `round`: "down" cuts them off, "nearest" rounds, halves up. `replay_table` refuses them alike, with the row.
"""

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal

from windrow.schemas.errors import WrongParameter

Rounding = Literal["down", "nearest"] | None
_EPOCH, _SECOND, _SECOND_US = datetime(1970, 1, 1, tzinfo=UTC), timedelta(seconds=1), 1_000_000
_SUCH_AS = "2018-08-01T06:40:33.25+02:00"
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d(?::?\d\d)?)", re.ASCII)
_FRACTION = re.compile(r"\.\d+", re.ASCII)
_UP_FROM = {"down": ":", "nearest": "5"}  # the first digit beyond microseconds, as a text; ":" follows "9"
_TOO_FINE = 'has a fraction of a microsecond, which no table holds; the layout may ask for round="down"'


def read_time(text: str, round: Rounding = None) -> int:
    """`2018-08-01T06:40:33.25+02:00`, or with a `Z`, in µs since the epoch, UTC. ValueError names other texts, and one
    with a fraction of a microsecond, unless `round` is "down" or "nearest"."""
    found = _INSTANT.fullmatch(text)
    if not found:
        raise ValueError(f"{text[:60]!r} is not a time with an offset such as {_SUCH_AS}")
    try:
        seconds = (datetime.fromisoformat(found[1] + found[3]) - _EPOCH) // _SECOND
        return seconds * _SECOND_US + fraction_us(found[2] or "", round)
    except ValueError as wrong:
        raise ValueError(f"{text[:60]!r}: {wrong}") from None


def us_of_ns(ns: int, round: Rounding = None) -> int:
    """Nanoseconds since the epoch in µs. ValueError names those that are no whole µs, unless `round` is "down" or
    "nearest"."""
    us, beyond_ns = divmod(ns, 1_000)
    if beyond_ns and require_rounding(round) is None:
        raise ValueError(f"{ns} ns: {_TOO_FINE}")
    return us + (beyond_ns >= 500 and round == "nearest")


@lru_cache(maxsize=1 << 14)
def fraction_us(digits: str, round: Rounding) -> int:
    """The digits at a time's end, `.3610`, in µs: a million where they round up to a second."""
    if not digits:
        return 0
    if not _FRACTION.fullmatch(digits):
        raise ValueError(f"{digits[:60]!r} follows the seconds, where only a fraction may")
    whole_us, beyond = int(digits[1:7].ljust(6, "0")), digits[7:]
    if not beyond.strip("0"):
        return whole_us
    if require_rounding(round) is None:
        raise ValueError(_TOO_FINE)
    return whole_us + (beyond[0] >= _UP_FROM[str(round)])


def require_rounding(round: Rounding) -> Rounding:
    """The value of `round`; WrongParameter for any other."""
    if round not in (None, *_UP_FROM):
        raise WrongParameter("round", round, 'None, "down", "nearest"', _UP_FROM)
    return round
