"""Windows of one size that start every slide: tumbling, sliding, and spanning ones, of events that last; ISO weeks, and
calendar months, of a time zone.

A regular window's origin is an aware `datetime` and defaults to the Unix epoch; with a `zone` it is a local `date`, or
a local `datetime` where days begin elsewhere than at midnight, and size and slide are whole days or divide a day.
"""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, ClassVar

from windrow.schemas.local_time import MIDNIGHT, days_around
from windrow.schemas.spelling import in_words
from windrow.schemas.windows._window import (
    DAY,
    EPOCH,
    MICROSECOND,
    Length,
    WholeCount,
    Window,
    Zone,
    many_lengths,
    require,
    require_zone,
)

WHOLE, PRORATED, START, END = "whole", "prorated", "start", "end"
_SHARES = {
    WHOLE: "an event is in each that it meets",
    PRORATED: "an event counts in each by the time that it spends there",
    START: "an event is where it began",
    END: "an event is where it ended",
}
ATTRIBUTIONS = tuple(_SHARES)
MOST_MONTHS = 1_200
"""A century."""


class Regular(Window):
    """Windows of one size that start every slide; what kernels need of them as integers."""

    context_free: ClassVar[bool] = True

    if TYPE_CHECKING:  # as they run, properties here would be the defaults of the fields below

        @property
        def size(self) -> timedelta: ...

        @property
        def slide(self) -> timedelta: ...

        @property
        def origin(self) -> datetime | date | None: ...

        @property
        def zone(self) -> str | None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.zone is not None:
            require_zone("zone", self.zone)
            require_calendar("size", self.size)
            require_calendar("slide", self.slide)
        require_origin(self.origin, self.zone)

    @property
    def in_words(self) -> str:
        zone = "" if self.zone is None else f" in {self.zone}"
        every = ", one after the other" if self.slide == self.size else f" that slide by {in_words(self.slide)}"
        return f"{many_lengths(self.size)}{zone}{every}"

    @property
    def size_us(self) -> int:
        """Microseconds; a day of a zone counts 24 hours."""
        return self.size // MICROSECOND

    @property
    def slide_us(self) -> int:
        """Microseconds from one start to the next; a day of a zone counts 24 hours."""
        return self.slide // MICROSECOND

    @property
    def origin_us(self) -> int:
        """Start of a window without a zone."""
        return ((self.origin or EPOCH) - EPOCH) // MICROSECOND

    @property
    def longest_us(self) -> int:
        """The longest that a window may be: a local day has up to 25 hours, a part of one may hold a repeated hour."""
        extra = max(1, self.size // DAY) * timedelta(hours=1) if self.zone is not None else timedelta(0)
        return (self.size + extra) // MICROSECOND

    @property
    def origin_date(self) -> date:
        """With a zone: a day from which whole slides lead to windows."""
        origin = self.origin or EPOCH
        return origin.date() if isinstance(origin, datetime) else origin

    @property
    def day_begins(self) -> time:
        """With a zone: the local time at which days begin."""
        return self.origin.time() if isinstance(self.origin, datetime) else MIDNIGHT

    def days_around(self, first_us: int, last_us: int) -> tuple[list[int], int]:
        """The starts of the local days of the windows of all times from first to last, three to spare, and how many
        days behind the origin the first of them is."""
        assert self.zone is not None, "windows without a zone have no days"
        spare = (self.size_us + self.slide_us) // (DAY // MICROSECOND) + 3
        starts, first = days_around(self.zone, first_us, last_us, spare, self.day_begins)
        return starts, (first - self.origin_date).days


def require_calendar(parameter: str, value: timedelta) -> None:
    """Whole days, or a part that divides a day."""
    fits = value % DAY == timedelta(0) or DAY % value == timedelta(0)
    require(fits, parameter, value, "with a zone: whole days, or a part that divides a day")


def require_origin(origin: object, zone: str | None) -> None:
    """An aware datetime; with a zone, a local date, or a local time where days begin elsewhere than at midnight."""
    if zone is None:
        aware = isinstance(origin, datetime) and origin.tzinfo is not None
        require(origin is None or aware, "origin", origin, "an aware datetime (or None for the Unix epoch)")
    else:
        local = isinstance(origin, date) and getattr(origin, "tzinfo", None) is None
        allowed = "with a zone: a local date, or a datetime without a tzinfo for days that begin at its time of day"
        require(origin is None or local, "origin", origin, f"{allowed} (or None for 1970-01-01)")


@dataclass(frozen=True)
class Tumbling(Regular):
    """`[origin + i·size, + size)` for every integer i."""

    size: Length
    origin: datetime | date | None = None
    zone: str | None = None
    kind: ClassVar[str] = "tumbling"

    @property
    def slide(self) -> timedelta:
        """Each window starts where the one before it ends."""
        return self.size


@dataclass(frozen=True)
class Sliding(Regular):
    """Windows `[origin + i·slide, origin + i·slide + size)` for every integer i."""

    size: Length
    slide: Length
    origin: datetime | date | None = None
    zone: str | None = None
    kind: ClassVar[str] = "sliding"


@dataclass(frozen=True)
class Week(Regular):
    """ISO 8601's weeks: from Monday's local midnight to the next one's."""

    zone: Zone = "UTC"
    kind: ClassVar[str] = "week"
    size: ClassVar[timedelta] = timedelta(days=7)
    slide: ClassVar[timedelta] = size
    origin: ClassVar[date] = date(1970, 1, 5)

    @property
    def in_words(self) -> str:
        return f"calendar weeks in {self.zone}"


def require_century(parameter: str, months: int) -> None:
    """So many months that all dates near them are dates."""
    require(months <= MOST_MONTHS, parameter, months, f"at most {MOST_MONTHS:,}, a century")


@dataclass(frozen=True)
class Month(Regular):
    """So many calendar months, one window after the other: `months=3` are quarters, 12 are years.

    The origin is the first of a month, a local date or a local time, from which windows are whole lengths away.
    A month takes the place that a day has in other windows of a zone: lengths count it as 24 hours.
    """

    months: Annotated[WholeCount, require_century] = 1
    origin: datetime | date | None = None
    zone: Zone = "UTC"
    kind: ClassVar[str] = "month"

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.origin_date.day == 1, "origin", self.origin, "the first of a month")

    @property
    def in_words(self) -> str:
        many = "calendar months" if self.months == 1 else f"windows of {self.months:,} calendar months"
        return f"{many} in {self.zone}"

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


@dataclass(frozen=True)
class Spanning(Regular):
    """As sliding; an event belongs to every window that its interval meets. Events beyond `longest` are in none.

    attribution: how much of an event its windows get

        a trip of 20 min, [9:50, 10:10)      [9:00, 10:00)    [10:00, 11:00)
        whole      counts in both            1                1
        prorated   by the time spent in it   0.5              0.5
        start      where it began            1
        end        where it ended                             1

    With `prorated` count, sum and mean are float64, of values times shares; other aggregates say nothing of a part.
    """

    size: Length
    slide: Length
    origin: datetime | None = None
    longest: Length = DAY
    attribution: str = WHOLE
    kind: ClassVar[str] = "spanning"
    zone: ClassVar[None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require(self.attribution in ATTRIBUTIONS, "attribution", self.attribution, ", ".join(ATTRIBUTIONS))

    @property
    def in_words(self) -> str:
        return f"{super().in_words}; {_SHARES[self.attribution]}"

    @property
    def longest_event_us(self) -> int:
        """Longer events are in no window."""
        return self.longest // MICROSECOND

    @property
    def counts_shares(self) -> bool:
        """Whether a window counts an event by the time that it spends in it."""
        return self.attribution == PRORATED
