"""What a run reads (semantics §4): which events before a day can still matter to rows of that day.

Let w be the watermark just before day D. A window can still change in D only if its end is after w − allowed
lateness, so its events start after w − allowed lateness − size: that is `bound_us`. No accepted event is further
ahead of its arrival than the stream's `ahead_at_most`, so these events arrived on `first_day` or later.

Days that follow each other may be replayed at once, from the first one's bound on: no event between that and a later
day's bound is in a window that can change then. Rounded results depend on the first event that is read, so that days
are replayed one by one where an aggregate rounds as it goes (replay_plan.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from pipelines.delta.day_files import files_by_day
from pipelines.delta.lake import Lake
from pipelines.replay import earlier_state
from pipelines.replay.earlier_state import EarlierState
from pipelines.replay.row_groups import bounds_us
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.watermark import PassTable
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.heartbeats import DAY_US, EPOCH_DATE, day_start_us
from pipelines.tables.query_tables import QueryTables
from pipelines.tables.snapshot import Snapshot
from pipelines.tables.stream_tables import StreamTables
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
    """What is read for the days from `first` to `last`, which follow each other, in µs since the epoch. Of windows that
    depend on their key's other events these are the events of one day, and what an earlier one left.

    Events with start > `bound_us` (None: nothing arrived before the days) make the rows. Events with start
    >= `least_start_us` are read; for windows at event times that is earlier: what a late event missed follows from its
    key's event times from its own start on, however old. All of them, and all that arrive within the days,
    arrived on `first_day` or later.
    """

    first: date
    last: date
    bound_us: int | None
    first_day: date
    least_start_us: int
    last_tick_us: int | None = None

    @property
    def from_us(self) -> int:
        """The beginning of the days."""
        return day_start_us(self.first)

    @property
    def until_us(self) -> int:
        """Their end."""
        return day_start_us(self.last) + DAY_US

    def reads(self, day: date) -> bool:
        """Whether it reads events that arrived on a day."""
        return self.first_day <= day <= self.last

    def joined(self, later: "LookBack") -> "LookBack":
        """With that of the days that follow."""
        return LookBack(
            self.first,
            later.last,
            self.bound_us,  # the watermark only rises
            min(self.first_day, later.first_day),
            min(self.least_start_us, later.least_start_us),
            later.last_tick_us,
        )


class LookBacks(NamedTuple):
    """Of each day of a run, in rising order; with the watermark's staircase over all that is read, the version of
    silver, and the state that the first day goes on from."""

    of_days: tuple[LookBack, ...]
    ticks: "PassTicks"
    silver_version: int
    earlier: EarlierState | None = None

    @property
    def days(self) -> list[date]:
        """The run's."""
        return [each.last for each in self.of_days]

    def reads(self, day: date) -> bool:
        """Whether the run reads events that arrived on a day."""
        return any(each.reads(day) for each in self.of_days)

    def arrival_days(self, days: Iterable[date]) -> list[date]:
        """Those of the days whose events are read, and the run's own."""
        return sorted({*self.days, *filter(self.reads, days)})


def of(lake: Lake, tables: QueryTables, served: ServedQuery, days: Sequence[date], read: Reading) -> LookBacks:
    """The look-backs of a run of some days, in rising order. O(pass ticks of the look-backs + files of silver).

    EarlierDayMissing where the first day starts from a state that there is not."""
    source, earlier = tables.source, None
    passes, silver = read.passes(lake, source), _SilverOfDays.of(lake, source, read.snapshot, days)
    if tables.query.window.context_free:
        newest = zip(days, passes.newest_before(days), strict=True)
        found = [_look_back(served, source.stream, silver, day, newest_us) for day, newest_us in newest]
    else:
        earlier = earlier_state.find(lake, tables, read.days, days[0], read.snapshot.name)
        found = [LookBack(day, day, None, day, day_start_us(day), silver.last_tick_us(day)) for day in days]
    ticks = passes.ticks(min(each.first_day for each in found), days[-1])
    return LookBacks(tuple(found), ticks, read.snapshot.version(source.silver.name), earlier)


def _look_back(
    served: ServedQuery, stream: Stream, silver: "_SilverOfDays", day: date, newest_us: int | None
) -> LookBack:
    bound_us = _bound_us(served, newest_us)
    first_day = day if bound_us is None else min(day, first_arrival_day(bound_us, stream))
    least_us = day_start_us(day) if bound_us is None else bound_us + 1
    if served.kind.late_needs_later_events and (oldest_us := silver.oldest_start_us(day)) is not None:
        first_day = min(first_day, first_arrival_day(oldest_us - 1, stream))
        least_us = min(least_us, oldest_us)
    return LookBack(day, day, bound_us, first_day, least_us, silver.last_tick_us(day))


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


class _SilverOfDays(NamedTuple):
    """The files of the events that arrived on some days."""

    stream: Stream
    files: Mapping[date, Sequence[str]]

    @classmethod
    def of(cls, lake: Lake, source: StreamTables, snapshot: Snapshot, days: Sequence[date]) -> "_SilverOfDays":
        """O(files of silver)."""
        silver = source.silver.name
        files = files_by_day(lake, silver, snapshot.version(silver), {*days}.__contains__)
        return cls(source.stream, {day: [each.path for each in of_day] for day, of_day in files.items()})

    def oldest_start_us(self, day: date) -> int | None:
        """O(row groups of the day)."""
        bounds = bounds_us("start", self.files.get(day, ()))
        return bounds[0] if bounds else None

    def last_tick_us(self, day: date) -> int | None:
        """Of a stream's last day."""
        if day != self.stream.last_day:
            return None
        bounds = bounds_us("arrival", self.files.get(day, ()))
        return bounds[1] if bounds else day_start_us(day) + DAY_US - 1
