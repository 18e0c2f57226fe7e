"""Threshold frames (FRAMES): runs of events whose value is at least something. Days carry state."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from schemas.windows._requirements import MICROSECOND, require_column, require_count, require_duration, require_number
from schemas.windows._window import Window


@dataclass(frozen=True)
class ThresholdFrame(Window):
    """A maximal run of events whose `column` is at least `at_least`."""

    column: str
    at_least: float
    min_count: int = 1
    min_duration: timedelta = timedelta(0)
    kind: ClassVar[str] = "frame.threshold"

    def __post_init__(self) -> None:
        require_column(self.column)
        require_number("at_least", self.at_least)
        require_count("min_count", self.min_count)
        require_duration("min_duration", self.min_duration)

    @property
    def min_duration_us(self) -> int:
        """Microseconds."""
        return self.min_duration // MICROSECOND
