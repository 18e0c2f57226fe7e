"""Tumbling windows."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import ClassVar

from schemas.windows._regular import Regular, require_regular


@dataclass(frozen=True)
class Tumbling(Regular):
    """`[origin + i·size, + size)` for every integer i."""

    size: timedelta
    origin: datetime | date | None = None
    zone: str | None = None
    kind: ClassVar[str] = "tumbling"

    @property
    def slide(self) -> timedelta:
        """Each window starts where the one before it ends."""
        return self.size

    def __post_init__(self) -> None:
        require_regular(self.size, self.slide, self.origin, self.zone)
