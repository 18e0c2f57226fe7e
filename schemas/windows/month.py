"""Calendar months, of a time zone; quarters and years too."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import ClassVar

from schemas.local_time import days_around
from schemas.windows._regular import Regular, require_regular
from schemas.windows._requirements import DAY, MICROSECOND, require, require_count, require_zone

MOST_MONTHS = 1_200
"""A century."""


@dataclass(frozen=True)
class Month(Regular):
    """So many calendar months, one window after the other: `months=3` are quarters, 12 are years.

    The origin is the first of a month, a local date or a local time, from which windows are whole lengths away.
    A month takes the place that a day has in other windows of a zone: lengths count it as 24 hours.
    """

    months: int = 1
    origin: datetime | date | None = None
    zone: str = "UTC"
    kind: ClassVar[str] = "month"

    def __post_init__(self) -> None:
        require_count("months", self.months)
        require(self.months <= MOST_MONTHS, "months", self.months, f"at most {MOST_MONTHS:,}, a century")
        require_zone(self.zone)
        require_regular(self.size, self.slide, self.origin, self.zone)
        require(self.origin_date.day == 1, "origin", self.origin, "the first of a month")

    @property
    def size(self) -> timedelta:
        """A day for each month."""
        return self.months * DAY

    @property
    def slide(self) -> timedelta:
        """Each window starts where the one before it ends."""
        return self.size

    @property
    def longest_us(self) -> int:
        """The longest that a window may be, and some hours."""
        return self.months * timedelta(days=32) // MICROSECOND

    def days_around(self, first_us: int, last_us: int) -> tuple[list[int], int]:
        """The starts of months in place of days, and how many months behind the origin the first is."""
        spare = 31 * (2 * self.months + 3)
        starts, first = days_around(self.zone, first_us, last_us, spare, self.day_begins)
        days = [first + timedelta(days=number) for number in range(len(starts))]
        months = [number for number, day in enumerate(days) if day.day == 1]
        return [starts[number] for number in months], _months(days[months[0]]) - _months(self.origin_date)


def _months(day: date) -> int:
    return 12 * day.year + day.month
