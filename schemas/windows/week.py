"""ISO weeks, of a time zone."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar

from schemas.windows._regular import Regular, require_regular
from schemas.windows._requirements import require_zone


@dataclass(frozen=True)
class Week(Regular):
    """ISO 8601's weeks: from Monday's local midnight to the next one's."""

    zone: str = "UTC"
    kind: ClassVar[str] = "week"
    size: ClassVar[timedelta] = timedelta(days=7)
    slide: ClassVar[timedelta] = size
    origin: ClassVar[date] = date(1970, 1, 5)

    def __post_init__(self) -> None:
        require_zone(self.zone)
        require_regular(self.size, self.slide, self.origin, self.zone)
