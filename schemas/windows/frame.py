"""Frames (FRAMES): an event's value opens and ends them. Days carry state."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from windrow.schemas.windows._window import (
    MICROSECOND,
    AboveZero,
    ColumnName,
    Duration,
    Function,
    Number,
    WholeCount,
    Window,
)


@dataclass(frozen=True)
class ThresholdFrame(Window):
    """A maximal run of events whose `column` is at least `at_least`."""

    column: ColumnName
    at_least: Number
    min_count: WholeCount = 1
    min_duration: Duration = timedelta(0)
    kind: ClassVar[str] = "frame.threshold"

    @property
    def min_duration_us(self) -> int:
        """Microseconds."""
        return self.min_duration // MICROSECOND


@dataclass(frozen=True)
class DeltaFrame(Window):
    """Opened by an event's value; grows while values stay within `change` of it."""

    column: ColumnName
    change: AboveZero
    kind: ClassVar[str] = "frame.delta"


@dataclass(frozen=True)
class AggregateFrame(Window):
    """Grows while the aggregate `function` of `column`, before the new event, is below `bound`."""

    function: Function
    column: ColumnName
    bound: Number
    kind: ClassVar[str] = "frame.aggregate"


@dataclass(frozen=True)
class BoundaryFrame(Window):
    """Consecutive events whose value falls between the same two multiples of `width`."""

    column: ColumnName
    width: AboveZero
    offset: Number = 0.0
    kind: ClassVar[str] = "frame.boundary"
