"""What comes with the arrival ticks of a stream, the watermark before and after each (semantics §1), and windows."""

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from windrow.schemas.windows import EPOCH, MICROSECOND


class Event(NamedTuple):
    """An event that `where` let through, with the watermark of the tick before its own; row: its columns."""

    key: tuple
    start: int
    end: int
    arrival: int
    row: Mapping[str, Any]
    watermark_before: float


class Tick(NamedTuple):
    """An arrival tick: the events of its burst and the watermark before and after it."""

    at: int
    burst: list[Event]
    watermark_before: float
    watermark_after: float


class HeldWindow(NamedTuple):
    """A window that exists, with its events. passes: the watermark that passes it; closed_by: of a frame, the event
    that ended it."""

    start: int
    end: int
    passes: float
    events: list[Event]
    closed_by: Event | None = None


class Shape(NamedTuple):
    """What the times of a kind's windows say of them. all_between: every event from the first to the last is in it, and
    no other; from_first: its start is that of its first event, and of others that may be in it or not; passes_at_end:
    the watermark passes it at its end; never_late: no event is late for one; length_us, size: of all windows, and how
    many events each has, None where that differs; before_us: how long before its start events may start that decide
    whether it is one, None where all earlier ones do."""

    all_between: bool = True
    from_first: bool = True
    passes_at_end: bool = True
    never_late: bool = False
    length_us: int | None = None
    size: int | None = None
    before_us: int | None = None


class Staircase(NamedTuple):
    """The ticks that raised the watermark, and what they raised it to, in rising order."""

    ticks: Sequence[int]
    watermarks: Sequence[float]

    def tick(self, at: int, burst: list[Event]) -> Tick:
        return Tick(at, burst, self.before(at), self._of(bisect_right(self.ticks, at)))

    def before(self, at: int) -> float:
        return self._of(bisect_left(self.ticks, at))

    def reaches(self, boundary: float) -> float:
        """P(boundary): the first tick at which the watermark is there."""
        place = bisect_left(self.watermarks, boundary)
        return self.ticks[place] if place < len(self.ticks) else math.inf

    def _of(self, place: int) -> float:
        return self.watermarks[place - 1] if place else -math.inf


def to_us(time: datetime | timedelta) -> int:
    """Microseconds since the epoch, or of a duration."""
    return (time if isinstance(time, timedelta) else time - EPOCH) // MICROSECOND


def to_time(us: int) -> datetime:
    return EPOCH + timedelta(microseconds=us)
