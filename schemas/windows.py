"""The window kinds of the query language (semantics §2): what can be written, not what is served.

Intervals are half-open `[lo, hi)`. Sizes are `timedelta`. A regular window's origin is an aware `datetime` and defaults
to the Unix epoch; with a `zone` it is a local `date`, and size and slide are whole days or divide a day.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar
from zoneinfo import ZoneInfo

from schemas.errors import WrongParameter

DAY = timedelta(days=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def require(holds: bool, parameter: str, value: object, allowed: str) -> None:
    """Raise WrongParameter unless `holds`."""
    if not holds:
        raise WrongParameter(parameter, value, allowed)


def require_positive(parameter: str, value: object) -> None:
    """A timedelta above zero."""
    require(isinstance(value, timedelta) and value > timedelta(0), parameter, value, "a timedelta above zero")


def require_count(parameter: str, value: object) -> None:
    """A whole number of at least one."""
    require(isinstance(value, int) and not isinstance(value, bool) and value >= 1, parameter, value,
            "a whole number of at least 1")


def require_zone(zone: object) -> None:
    """A name of the time zone database."""
    try:
        ZoneInfo(zone)
    except Exception as unknown:
        allowed = "a name of the IANA time zone database, such as America/New_York"
        raise WrongParameter("zone", zone, allowed) from unknown


def require_calendar(parameter: str, value: timedelta) -> None:
    """Whole days, or a part that divides a day."""
    fits = value % DAY == timedelta(0) or DAY % value == timedelta(0)
    require(fits, parameter, value, "with a zone: whole days, or a part that divides a day")


def require_origin(origin: object, zone: str | None) -> None:
    """An aware datetime; with a zone, a local date."""
    if zone is None:
        aware = isinstance(origin, datetime) and origin.tzinfo is not None
        require(origin is None or aware, "origin", origin, "an aware datetime (or None for the Unix epoch)")
    else:
        local = isinstance(origin, date) and not isinstance(origin, datetime)
        require(origin is None or local, "origin", origin, "with a zone: a local date (or None for 1970-01-01)")


@dataclass(frozen=True)
class Window:
    """The root of all window kinds; `kind` is the name used in errors and docs."""

    kind: ClassVar[str] = ""


@dataclass(frozen=True)
class Sliding(Window):
    """`[origin + i·slide, + size)` for every integer i."""

    size: timedelta
    slide: timedelta
    origin: datetime | date | None = None
    zone: str | None = None
    kind: ClassVar[str] = "sliding"

    def __post_init__(self):
        require_positive("size", self.size)
        require_positive("slide", self.slide)
        if self.zone is not None:
            require_zone(self.zone)
            require_calendar("size", self.size)
            require_calendar("slide", self.slide)
        require_origin(self.origin, self.zone)


@dataclass(frozen=True)
class Tumbling(Window):
    """`[origin + i·size, + size)` for every integer i."""

    size: timedelta
    origin: datetime | date | None = None
    zone: str | None = None
    kind: ClassVar[str] = "tumbling"

    def __post_init__(self):
        Sliding(self.size, self.size, self.origin, self.zone)


@dataclass(frozen=True)
class Spanning(Window):
    """As sliding; an event belongs to every window that its interval meets. Events beyond `longest` are in none."""

    size: timedelta
    slide: timedelta
    origin: datetime | None = None
    longest: timedelta = DAY
    attribution: str = "whole"
    kind: ClassVar[str] = "spanning"
    zone: ClassVar[None] = None

    def __post_init__(self):
        Sliding(self.size, self.slide, self.origin)
        require_positive("longest", self.longest)
        require(self.attribution == "whole", "attribution", self.attribution, "'whole'")


@dataclass(frozen=True)
class Rolling(Window):
    """One window `(u − size, u]` for each event time u that the key has seen."""

    size: timedelta
    kind: ClassVar[str] = "rolling"

    def __post_init__(self):
        require_positive("size", self.size)


@dataclass(frozen=True)
class Session(Window):
    """Maximal runs of events whose neighbours are at most `gap` apart."""

    gap: timedelta
    kind: ClassVar[str] = "session"

    def __post_init__(self):
        require_positive("gap", self.gap)


@dataclass(frozen=True)
class Count(Window):
    """The last `size` events, every `step` events, in order of "arrival" or of "event_time"."""

    size: int
    step: int
    order: str = "arrival"
    kind: ClassVar[str] = "count"

    def __post_init__(self):
        require_count("size", self.size)
        require_count("step", self.step)
        require(self.order in ("arrival", "event_time"), "order", self.order, "'arrival' or 'event_time'")


@dataclass(frozen=True)
class Delta(Window):
    """An event whose `column` is at least `threshold` beyond the marker triggers; the extent reaches `extent` back."""

    column: str
    extent: float
    threshold: float
    kind: ClassVar[str] = "delta"

    def __post_init__(self):
        require(self.extent > 0, "extent", self.extent, "a number above zero")
        require(self.threshold > 0, "threshold", self.threshold, "a number above zero")


@dataclass(frozen=True)
class SlideByTuple(Window):
    """Every `step`-th event triggers a window of the last `size` of time, both ends included."""

    size: timedelta
    step: int
    kind: ClassVar[str] = "slide_by_tuple"

    def __post_init__(self):
        require_positive("size", self.size)
        require_count("step", self.step)


@dataclass(frozen=True)
class Policy(Window):
    """A user-programmed slide policy (MTA §4.1.3), by name and parameters."""

    name: str
    parameters: tuple[tuple[str, object], ...] = ()
    kind: ClassVar[str] = "policy"


@dataclass(frozen=True)
class ThresholdFrame(Window):
    """A maximal run of events whose `column` is at least `at_least`."""

    column: str
    at_least: float
    min_count: int = 1
    min_duration: timedelta = timedelta(0)
    kind: ClassVar[str] = "frame.threshold"

    def __post_init__(self):
        require_count("min_count", self.min_count)


@dataclass(frozen=True)
class DeltaFrame(Window):
    """Opened by an event's value; grows while values stay within `change` of it."""

    column: str
    change: float
    kind: ClassVar[str] = "frame.delta"

    def __post_init__(self):
        require(self.change > 0, "change", self.change, "a number above zero")


@dataclass(frozen=True)
class AggregateFrame(Window):
    """Grows while the aggregate `function` of `column`, before the new event, is below `bound`."""

    function: str
    column: str
    bound: float
    kind: ClassVar[str] = "frame.aggregate"


@dataclass(frozen=True)
class BoundaryFrame(Window):
    """Consecutive events whose value falls between the same two multiples of `width`."""

    column: str
    width: float
    offset: float = 0.0
    kind: ClassVar[str] = "frame.boundary"

    def __post_init__(self):
        require(self.width > 0, "width", self.width, "a number above zero")
