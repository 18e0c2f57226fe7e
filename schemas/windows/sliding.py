"""Sliding windows."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import ClassVar

from schemas.windows._regular import Regular, require_regular


@dataclass(frozen=True)
class Sliding(Regular):
    """`[origin + i·slide, + size)` for every integer i."""

    size: timedelta
    slide: timedelta
    origin: datetime | date | None = None
    zone: str | None = None
    kind: ClassVar[str] = "sliding"

    def __post_init__(self) -> None:
        require_regular(self.size, self.slide, self.origin, self.zone)
