"""Windows that single events begin or end: count, rolling, slide-by-tuple and delta windows. Days carry state, but for
rolling ones."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from windrow.schemas.windows._window import (
    MICROSECOND,
    AboveZero,
    ColumnName,
    Length,
    WholeCount,
    Window,
    one_length,
    one_of,
)


@dataclass(frozen=True)
class Count(Window):
    """After every `step` events, a window of the last `size` events, in order of "arrival" or of "event_time"."""

    size: WholeCount
    step: WholeCount
    order: Annotated[str, one_of("arrival", "event_time")] = "arrival"
    kind: ClassVar[str] = "count"

    @property
    def in_words(self) -> str:
        return f"the last {self.size:,} events by {self.order.replace('_', ' ')}, every {self.step:,}"


@dataclass(frozen=True)
class Rolling(Window):
    """One window for each event time u that the key has seen: `(u − size, u]`, or `[u − size, u)` with
    closed="left"."""

    size: Length
    closed: Annotated[str, one_of("right", "left")] = "right"
    kind: ClassVar[str] = "rolling"
    context_free: ClassVar[bool] = True

    @property
    def in_words(self) -> str:
        until = "up to" if self.closed == "right" else "before"
        return f"the {one_length(self.size)} {until} each event"

    @property
    def size_us(self) -> int:
        """Microseconds."""
        return self.size // MICROSECOND

    @property
    def beyond_us(self) -> int:
        """How far behind its event time a window ends, which holds that time or doesn't."""
        return 1 if self.closed == "right" else 0


@dataclass(frozen=True)
class SlideByTuple(Window):
    """Every `step`-th event triggers a window of the time `size` before it, both ends included."""

    size: Length
    step: WholeCount
    kind: ClassVar[str] = "slide_by_tuple"

    @property
    def in_words(self) -> str:
        return f"the last {one_length(self.size)}, every {self.step:,} events"

    @property
    def size_us(self) -> int:
        """Microseconds."""
        return self.size // MICROSECOND


@dataclass(frozen=True)
class Delta(Window):
    """An event triggers a window if its value in `column` is at least `threshold` above the marker, which is the value
    of the event that triggered last. The window holds the earlier events whose values are at most `extent` below the
    triggering value, and less than it."""

    column: ColumnName
    extent: AboveZero
    threshold: AboveZero
    kind: ClassVar[str] = "delta"

    @property
    def in_words(self) -> str:
        return f"the last {self.extent:,.15g} of {self.column}, each time that it has moved by {self.threshold:,.15g}"
