"""Lengths of time, sizes and numbers in words."""

from collections.abc import Iterator
from datetime import timedelta

_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_WITHOUT_END = timedelta(days=365 * 10_000)
_MOST_OF_A_UNIT = 120  # 90 seconds are read at once, 34,143 minutes aren't


def length(seconds: float | None) -> str:
    """A length by the unit that fits: 1.5 h, 64 s, 0.209 s."""
    if seconds is None:
        return "-"
    size = abs(seconds)
    if size >= 2 * 86_400:
        return f"{seconds / 86_400:,.1f} d"
    if size >= 2 * 3_600:
        return f"{seconds / 3_600:.1f} h"
    return f"{seconds / 60:.0f} min" if size >= 600 else f"{seconds:,.0f} s" if size >= 10 else f"{seconds:.3g} s"


def words(duration: timedelta) -> str:
    """A duration as somebody would say it: 1 day, 90 seconds, 10 hours 1 minute 3 seconds, without end."""
    if duration >= _WITHOUT_END:
        return "without end"
    seconds = duration.total_seconds()
    for unit_seconds, unit in _UNITS:
        if 0 < seconds < _MOST_OF_A_UNIT * unit_seconds and seconds % unit_seconds == 0:
            return _counted(int(seconds // unit_seconds), unit)
    if not seconds or seconds % 1:
        return f"{seconds:g} seconds" if seconds else "none"
    return " ".join(_parts(int(seconds)))


def _parts(seconds: int) -> Iterator[str]:
    for unit_seconds, unit in _UNITS:
        count, seconds = divmod(seconds, unit_seconds)
        if count:
            yield _counted(count, unit)


def _counted(count: int, unit: str) -> str:
    return f"{count:,} {unit}{'' if count == 1 else 's'}"


def size(count: int) -> str:
    """Bytes by the unit that fits."""
    amount = float(count)
    for unit in ("bytes", "kB", "MB"):
        if amount < 1_000:
            return f"{amount:,.0f} {unit}" if unit == "bytes" else f"{amount:,.1f} {unit}"
        amount /= 1_000
    return f"{amount:,.1f} GB"


def share(part: int, whole: int) -> str:
    """A share in percent."""
    return "-" if not whole else f"{100 * part / whole:.3g} %"
