"""Sessions: runs of events, each less than a gap behind the one before. Days carry state."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from schemas.windows._requirements import MICROSECOND, require_positive
from schemas.windows._window import Window


@dataclass(frozen=True)
class Session(Window):
    """Maximal runs of events whose neighbours are less than `gap` apart."""

    gap: timedelta
    kind: ClassVar[str] = "session"

    def __post_init__(self) -> None:
        require_positive("gap", self.gap)

    @property
    def gap_us(self) -> int:
        """Microseconds."""
        return self.gap // MICROSECOND
