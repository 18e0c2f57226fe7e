"""What a run reads (semantics §4): which events before its day can still matter to rows of its day.

Let w be the watermark just before day D. A window can still change in D only if its end is after w − allowed
lateness, so its events start after w − allowed lateness − size: that is `bound_us`. No accepted event is further
ahead of its arrival than the stream's `ahead_at_most`, so these events arrived on `first_day` or later.

Bound and days follow from query and data alone: floating-point results depend on the first event that is read.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from pipelines.lake.arrival_days import ArrivalDays
from pipelines.lake.heartbeats import DAY_US, EPOCH_DATE, day_start_us
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.lake.row_groups import bounds_us
from pipelines.lake.snapshot import Snapshot
from pipelines.lake.stream_tables import StreamTables
from pipelines.replay import earlier_state
from pipelines.replay.earlier_state import EarlierState
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.watermark import PassTable
from schemas.stream import Stream

if TYPE_CHECKING:
    from kernels.replay import PassTicks

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
# Before every event: a query may wait for longer than there are days.
EVER_US = -(1 << 62)


class Reading(NamedTuple):
    """The snapshot that a run reads, and what ingest had noted of its arrival days."""

    snapshot: Snapshot
    days: ArrivalDays

    @classmethod
    def of(cls, lake: Lake, source: StreamTables, snapshot: Snapshot) -> "Reading":
        """O(arrival days)."""
        partitions = source.partitions.name
        return cls(snapshot, ArrivalDays.read(lake, partitions, snapshot.version(partitions)))

    def passes(self, lake: Lake, source: StreamTables) -> PassTable:
        """The stream's pass ticks in it."""
        return PassTable(lake, source, self.snapshot.version(source.passes.name), self.days)


@dataclass(frozen=True)
class LookBack:
    """What the run of `day` reads, in µs since the epoch. Of windows that depend on their key's other events these are
    the events of the day, and what the day before left: `earlier`.

    Events with start > `bound_us` (None: nothing arrived before the day) make the rows. Events with start
    >= `least_start_us` are read; for windows at event times that is earlier: what a late event missed follows from its
    key's event times from its own start on, however old. All of them, and all that arrive within the day,
    arrived on `first_day` or later.
    """

    day: date
    from_us: int
    until_us: int
    bound_us: int | None
    first_day: date
    ticks: "PassTicks"
    silver_version: int
    least_start_us: int
    last_tick_us: int | None = None
    earlier: EarlierState | None = None

    def arrival_days(self, days: Iterable[date]) -> list[date]:
        """Those of the days whose events are read, and the run's own."""
        return sorted({*(each for each in days if self.first_day <= each <= self.day), self.day})


def of(lake: Lake, tables: QueryTables, served: ServedQuery, day: date, read: Reading) -> LookBack:
    """The look-back of a run of a day. O(pass ticks of the look-back + files of the day + arrival days).

    EarlierDayMissing where the day starts from a state that there is not."""
    if not tables.query.window.context_free:
        return _of_day_alone(lake, tables, day, read)
    source = tables.source
    passes = read.passes(lake, source)
    bound_us = _bound_us(served, passes.newest_before_us(day))
    first_day = day if bound_us is None else min(day, first_arrival_day(bound_us, source.stream))
    least_us = day_start_us(day) if bound_us is None else bound_us + 1
    of_day = _Day(lake, source, read.snapshot, day)
    if served.kind.late_needs_later_events and (oldest_us := of_day.oldest_start_us()) is not None:
        first_day = min(first_day, first_arrival_day(oldest_us - 1, source.stream))
        least_us = min(least_us, oldest_us)
    ticks = passes.ticks(first_day, day)
    silver_version = read.snapshot.version(source.silver.name)
    from_us, last_tick_us = day_start_us(day), of_day.last_tick_us()
    return LookBack(day, from_us, from_us + DAY_US, bound_us, first_day, ticks, silver_version, least_us, last_tick_us)


def _of_day_alone(lake: Lake, tables: QueryTables, day: date, read: Reading) -> LookBack:
    source, from_us = tables.source, day_start_us(day)
    earlier = earlier_state.find(lake, tables, read.days, day, read.snapshot.name)
    ticks = read.passes(lake, source).ticks(day, day)
    version = read.snapshot.version(source.silver.name)
    last_tick_us = _Day(lake, source, read.snapshot, day).last_tick_us()
    return LookBack(day, from_us, from_us + DAY_US, None, day, ticks, version, from_us, last_tick_us, earlier)


def reach_us(served: ServedQuery) -> int:
    """How far before the watermark an event may start and still be in a window that can change."""
    return span_us(served.query.allowed_lateness) + served.kind.longest_us(served.query.window)


def first_arrival_day(start_us: int, stream: Stream) -> date:
    """The first day on which an event that starts after `start_us` can have arrived."""
    days = (start_us - span_us(stream.ahead_at_most)) // DAY_US
    return EPOCH_DATE + timedelta(days=max(days, (date.min - EPOCH_DATE).days))


def span_us(duration: timedelta) -> int:
    """Microseconds of a duration."""
    return duration // MICROSECOND


def _bound_us(served: ServedQuery, newest_us: int | None) -> int | None:
    if newest_us is None:
        return None
    return max(EVER_US, newest_us - span_us(served.query.lateness) - reach_us(served))


class _Day(NamedTuple):
    """The events that arrived on the run's day."""

    lake: Lake
    source: StreamTables
    snapshot: Snapshot
    day: date

    def oldest_start_us(self) -> int | None:
        bounds = self._bounds_us("start")
        return bounds[0] if bounds else None

    def last_tick_us(self) -> int | None:
        """Of a stream's last day."""
        if self.day != self.source.stream.last_day:
            return None
        bounds = self._bounds_us("arrival")
        return bounds[1] if bounds else day_start_us(self.day) + DAY_US - 1

    def _bounds_us(self, column: str) -> tuple[int, int] | None:
        silver, of_day = self.source.silver.name, [("arrival_date", "=", self.day.isoformat())]
        return bounds_us(column, self.lake.files(silver, self.snapshot.version(silver), of_day))
