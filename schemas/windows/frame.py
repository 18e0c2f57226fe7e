"""Frames (FRAMES): an event's value opens and ends them. Days carry state."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from windrow.schemas.spelling import in_words
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
    def in_words(self) -> str:
        longer = f", for {in_words(self.min_duration)} or longer" if self.min_duration else ""
        more = f", of {self.min_count:,} events or more" if self.min_count > 1 else ""
        return f"stretches with {self.column} of at least {self.at_least:,.15g}{longer}{more}"

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

    @property
    def in_words(self) -> str:
        return f"stretches in which {self.column} stays within {self.change:,.15g} of its first value"


@dataclass(frozen=True)
class AggregateFrame(Window):
    """Grows while the aggregate `function` of `column`, before the new event, is below `bound`."""

    function: Function
    column: ColumnName
    bound: Number
    kind: ClassVar[str] = "frame.aggregate"

    @property
    def in_words(self) -> str:
        return f"runs of events until {self.function}({self.column}) reaches {self.bound:,.15g}"


@dataclass(frozen=True)
class BoundaryFrame(Window):
    """Consecutive events whose value falls between the same two multiples of `width`."""

    column: ColumnName
    width: AboveZero
    offset: Number = 0.0
    kind: ClassVar[str] = "frame.boundary"

    @property
    def in_words(self) -> str:
        offset = f" from {self.offset:,.15g} on" if self.offset else ""
        return f"stretches in which {self.column} stays between two multiples of {self.width:,.15g}{offset}"
