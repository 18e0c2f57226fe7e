"""Slide-by-tuple windows: the last of time, every so many events. Days carry state."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from schemas.windows._requirements import MICROSECOND, require_count, require_positive
from schemas.windows._window import Window


@dataclass(frozen=True)
class SlideByTuple(Window):
    """Every `step`-th event triggers a window of the last `size` of time, both ends included."""

    size: timedelta
    step: int
    kind: ClassVar[str] = "slide_by_tuple"

    def __post_init__(self) -> None:
        require_positive("size", self.size)
        require_count("step", self.step)

    @property
    def size_us(self) -> int:
        """Microseconds."""
        return self.size // MICROSECOND
