"""Times as the clocks of a zone show them: a browser's figures know UTC and the reader's own zone, and no other."""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_STEPS = (
    *(timedelta(seconds=count) for count in (1, 5, 15, 30)),
    *(timedelta(minutes=count) for count in (1, 5, 15, 30)),
    *(count * _HOUR for count in (1, 3, 6, 12)),
    *(count * _DAY for count in (1, 2, 7, 28, 91, 364)),
)


class ClockTime(NamedTuple):
    """A moment: ms since the Unix epoch, and what the zone's clocks show."""

    at_ms: int
    local: datetime

    @property
    def text(self) -> str:
        """Of it alone."""
        return f"{self.local:%Y-%m-%d %H:%M:%S}".removesuffix(":00")


def clock_times(first: datetime, last: datetime, zone: str, most: int) -> list[ClockTime]:
    """Moments from `first` to `last`, about as many at most, at round times of the zone's clocks; the earliest is not
    after `first`."""
    step = next((each for each in _STEPS if (last - first) / each <= most), (last - first) / most)
    found = sorted(set(_steps(first, last, step, ZoneInfo(zone))))
    return [ClockTime(round(at.timestamp() * 1_000), at.astimezone(ZoneInfo(zone))) for at in found]


def axis_labels(times: Sequence[ClockTime]) -> dict[str, str]:
    """By ms: the time of day, and the date where it is another than before."""
    dates = [None, *(each.local.date() for each in times)]
    return {str(each.at_ms): _label(each.local, before) for each, before in zip(times, dates, strict=False)}


def _label(local: datetime, before: date | None) -> str:
    clock = f"{local:%H:%M:%S}".removesuffix(":00")
    if local.date() == before:
        return clock
    return f"{local:%b %d}" if local.time() == time.min else f"{local:%b %d}, {clock}"


def _steps(first: datetime, last: datetime, step: timedelta, zone: ZoneInfo) -> Iterator[datetime]:
    """In UTC. By the zone's clocks where a step has an hour or more; shorter ones are round in UTC too."""
    counted_in = zone if step >= _HOUR else UTC
    clock, epoch = first.astimezone(counted_in).replace(tzinfo=None), datetime(1970, 1, 5)
    clock -= (clock - epoch) % step
    while (at := clock.replace(tzinfo=counted_in).astimezone(UTC)) < last + step:
        yield at
        clock += step
