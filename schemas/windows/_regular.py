"""What windows of one size that start every slide share: tumbling, sliding, and spanning ones, of events that last.

A regular window's origin is an aware `datetime` and defaults to the Unix epoch; with a `zone` it is a local `date`, or
a local `datetime` where days begin elsewhere than at midnight, and size and slide are whole days or divide a day.
"""

from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, ClassVar

from schemas.local_time import MIDNIGHT, days_around
from schemas.windows._requirements import (
    DAY,
    EPOCH,
    MICROSECOND,
    require_calendar,
    require_origin,
    require_positive,
    require_zone,
)
from schemas.windows._window import Window


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


def require_regular(size: timedelta, slide: timedelta, origin: datetime | date | None, zone: str | None) -> None:
    """WrongParameter for lengths, an origin or a zone that such windows can't have."""
    require_positive("size", size)
    require_positive("slide", slide)
    if zone is not None:
        require_zone(zone)
        require_calendar("size", size)
        require_calendar("slide", slide)
    require_origin(origin, zone)
