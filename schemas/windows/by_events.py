"""Windows that single events begin or end: count, rolling, slide-by-tuple and delta windows. Days carry state, but for
rolling ones."""

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
    require_positive,
)


@dataclass(frozen=True)
class Count(Window):
    """The last `size` events, every `step` events, in order of "arrival" or of "event_time"."""

    size: int
    step: int
    order: str = "arrival"
    kind: ClassVar[str] = "count"

    def __post_init__(self) -> None:
        require_count("size", self.size)
        require_count("step", self.step)
        require(self.order in ("arrival", "event_time"), "order", self.order, "'arrival' or 'event_time'")


@dataclass(frozen=True)
class Rolling(Window):
    """One window for each event time u that the key has seen: `(u − size, u]`; with closed="left" the events before
    u, `[u − size, u)`."""

    size: timedelta
    closed: str = "right"
    kind: ClassVar[str] = "rolling"
    context_free: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_positive("size", self.size)
        require(self.closed in ("left", "right"), "closed", self.closed, "'right' or 'left'")

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


@dataclass(frozen=True)
class Delta(Window):
    """An event whose `column` is at least `threshold` beyond the marker triggers; the extent reaches `extent` back."""

    column: str
    extent: float
    threshold: float
    kind: ClassVar[str] = "delta"

    def __post_init__(self) -> None:
        require_column(self.column)
        require_above_zero("extent", self.extent)
        require_above_zero("threshold", self.threshold)
