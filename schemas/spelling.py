"""How a message shows a value and pages a duration, how a duration is read, and which known name a wrong one may have
been meant for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from difflib import get_close_matches

_UNITS = ((86_400_000_000, "day"), (3_600_000_000, "hour"), (60_000_000, "minute"), (1_000_000, "second"))
_BELOW_A_SECOND = ((1_000, "millisecond"), (1, "microsecond"))
_WITHOUT_END = timedelta(days=365 * 10_000)
_MOST_OF_A_UNIT = 120  # 90 seconds are read at once, 34,143 minutes aren't
_LENGTH = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)\s*(ms|s|min|h|d)")
_LENGTHS_US = {"ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000, "d": 86_400_000_000}


def shown(value: object) -> str:
    """A value as a user would write it; a duration in words."""
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


def listing(names: Sequence[str], most: int | None) -> str:
    """The first names, at most so many, and how many more there are."""
    first = ", ".join(names[:most])
    return first if most is None or len(names) <= most else f"{first} and {len(names) - most:,} more"


def read_length(text: str) -> timedelta | None:
    """Of a text such as "500ms", "90 s", "10min", "1.5h" or "2 d"; None of any other."""
    found = _LENGTH.fullmatch(text)
    return timedelta(microseconds=float(found[1]) * _LENGTHS_US[found[2]]) if found else None


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
