"""Spanning windows, of events that last."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from schemas.windows._regular import Regular, require_regular
from schemas.windows._requirements import DAY, MICROSECOND, require, require_positive


@dataclass(frozen=True)
class Spanning(Regular):
    """As sliding; an event belongs to every window that its interval meets. Events beyond `longest` are in none."""

    size: timedelta
    slide: timedelta
    origin: datetime | None = None
    longest: timedelta = DAY
    attribution: str = "whole"
    kind: ClassVar[str] = "spanning"
    zone: ClassVar[None] = None

    def __post_init__(self) -> None:
        require_regular(self.size, self.slide, self.origin, None)
        require_positive("longest", self.longest)
        require(self.attribution == "whole", "attribution", self.attribution, "'whole'")

    @property
    def longest_event_us(self) -> int:
        """Longer events are in no window."""
        return self.longest // MICROSECOND
