"""Frames (FRAMES): an event's value opens and ends them. Days carry state."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from schemas.windows._window import (
    MICROSECOND,
    Window,
    require,
    require_above_zero,
    require_column,
    require_count,
    require_duration,
    require_number,
)


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


@dataclass(frozen=True)
class DeltaFrame(Window):
    """Opened by an event's value; grows while values stay within `change` of it."""

    column: str
    change: float
    kind: ClassVar[str] = "frame.delta"

    def __post_init__(self) -> None:
        require_column(self.column)
        require_above_zero("change", self.change)


@dataclass(frozen=True)
class AggregateFrame(Window):
    """Grows while the aggregate `function` of `column`, before the new event, is below `bound`."""

    function: str
    column: str
    bound: float
    kind: ClassVar[str] = "frame.aggregate"

    def __post_init__(self) -> None:
        named = isinstance(self.function, str) and self.function != ""
        require(named, "function", self.function, "the name of an aggregate, such as sum")
        require_column(self.column)
        require_number("bound", self.bound)


@dataclass(frozen=True)
class BoundaryFrame(Window):
    """Consecutive events whose value falls between the same two multiples of `width`."""

    column: str
    width: float
    offset: float = 0.0
    kind: ClassVar[str] = "frame.boundary"

    def __post_init__(self) -> None:
        require_column(self.column)
        require_above_zero("width", self.width)
        require_number("offset", self.offset)
