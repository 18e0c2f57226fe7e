"""What a run reads (semantics §4): which events before a day can still matter to rows of that day.

Let w be the watermark just before day D. A window can still change in D only if its end is after w − allowed
lateness, so its events start after w − allowed lateness − size: that is `bound_us`. No accepted event is further
ahead of its arrival than the stream's `ahead_at_most`, so these events arrived on `first_day` or later.

Days that follow each other may be replayed at once, from the first one's bound on: no event between that and a later
day's bound is in a window that can change then. Rounded results depend on the first event that is read, so that days
are replayed one by one where an aggregate rounds as it goes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.kernels.api import AggregatePlan, PassTicks
from windrow.kernels.monoid import Sketch
from windrow.kernels.monoids import find_monoid
from windrow.pipelines.delta.day_files import bounds_us as time_bounds
from windrow.pipelines.delta.day_files import files_by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.replay import day_state
from windrow.pipelines.replay.day_state import EarlierState
from windrow.pipelines.replay.pane_plan import PaneChoice, PaneDays, choose
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.replay.watermark import PassTable
from windrow.pipelines.rows.arrays import ARROW_TYPES
from windrow.pipelines.tables.arrival_days import DAY_US, EPOCH_DATE, ArrivalDays, day_start_us
from windrow.pipelines.tables.query_tables import QueryTables, plan_aggregates
from windrow.pipelines.tables.stream_tables import Snapshot, StreamTables
from windrow.schemas.model import Model
from windrow.schemas.side_tables import CARRIED, PANE_STATE
from windrow.schemas.stream import Stream
from windrow.schemas.windows import MICROSECOND

ORDER_COLUMNS = ("start", "end", "arrival", "path", "line", "reading")
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


@dataclass(frozen=True)
class LookBack:
    """What is read for the days from `first` to `last`, which follow each other, in µs since the epoch. Of windows that
    depend on their key's other events these are the events of one day, and what an earlier one left.

    Events with start > a bound of `bounds_us` (None: nothing arrived before the days) make the rows of a window, one of
    those of `Work.served`. Events with start >= `least_start_us` are read; for windows at event times that is earlier:
    what a late event missed follows from its key's event times from its own start on, however old. All of them, and all
    that arrive within the days, arrived on `first_day` or later. last_tick_us: of the stream's last day.
    """

    first: date
    last: date
    bounds_us: tuple[int, ...] | None
    first_day: date
    least_start_us: int
    last_tick_us: int | None = None

    @property
    def from_us(self) -> int:
        return day_start_us(self.first)

    @property
    def until_us(self) -> int:
        return day_start_us(self.last) + DAY_US

    def reads(self, day: date) -> bool:
        """Whether it reads events that arrived on a day."""
        return self.first_day <= day <= self.last

    def places(self, times_us: np.ndarray) -> tuple[int, int, int]:
        """Of rising arrivals or ticks: where those from `first_day` on begin, and where those of the days begin and
        end."""
        edges_us = (day_start_us(self.first_day), self.from_us, self.until_us)
        first, begins, ends = (int(place) for place in np.searchsorted(times_us, edges_us))
        return first, begins, ends

    def joined(self, later: "LookBack") -> "LookBack":
        """With that of the days that follow."""
        first_day, least_us = min(self.first_day, later.first_day), min(self.least_start_us, later.least_start_us)
        # The watermark only rises, so that the first bound is the least.
        return LookBack(self.first, later.last, self.bounds_us, first_day, least_us, later.last_tick_us)


@dataclass(frozen=True)
class Work:
    """backs: of each day, in rising order; ticks: the watermark's staircase over all that is read; silver_version: of
    which it is read; earlier: the state that the first day goes on from; workers: threads of a model's farm, None of a
    plain query; panes: what is read of the first arrival days instead of their events, and why that is so or not."""

    tables: QueryTables
    backs: tuple[LookBack, ...]
    ticks: PassTicks
    silver_version: int
    earlier: EarlierState | None = None
    workers: int | None = None
    panes: PaneDays | None = None
    why_panes: str = ""

    @cached_property
    def served(self) -> list[ServedQuery]:
        """The query as kernels take it, once for each of its windows."""
        return ServedQuery.parts_of(self.tables.query)

    @property
    def days(self) -> list[date]:
        return [each.last for each in self.backs]

    def reads(self, day: date) -> bool:
        """Whether rows depend on events that arrived on a day."""
        return any(each.reads(day) for each in self.backs)

    def reads_events(self, day: date) -> bool:
        """Whether it reads the day's events, not their panes."""
        return self.reads(day) and (self.panes is None or day >= self.panes.from_day)

    def arrival_days(self, days: Iterable[date]) -> list[date]:
        """Those of the days whose events are read, and the run's own."""
        return sorted({*self.days, *filter(self.reads, days)})

    @property
    def goes_on(self) -> bool:
        """Whether each day goes on from the state that the one before it left."""
        return self.tables.state is not None

    @property
    def key(self) -> tuple[str, ...]:
        return self.tables.query.key

    @property
    def bucket_key(self) -> tuple[str, ...]:
        return self.tables.source.stream.key

    @property
    def whole_buckets(self) -> bool:
        """Whether a key is in one bucket only, and all that is read is in buckets."""
        return self.panes is None and {*self.bucket_key} <= {*self.key}

    @cached_property
    def read_schema(self) -> pa.Schema:
        """The columns of silver that are read; and that of states, whose rows come along among the events."""
        query, silver = self.tables.query, {column.name: column for column in self.tables.source.silver.columns}
        read = [silver[name] for name in dict.fromkeys((*query.read_columns, *ORDER_COLUMNS))]
        state = CARRIED if self.goes_on else PANE_STATE if self.panes else None
        fields = [pa.field(each.name, ARROW_TYPES[each.type], each.nullable or state is not None) for each in read]
        return pa.schema([*fields, (state, pa.binary())] if state else fields)

    @cached_property
    def is_exact(self) -> bool:
        """Whether rows are the same to the last bit whichever events a replay begins with."""
        types = {field.name: field.type for field in self.read_schema}
        return is_exact(plan_aggregates(self.served[0].query, types).plan)

    @property
    def at_once(self) -> bool:
        """Whether days that follow each other can be one pass. Farms are counted by day; what a day leaves is its own;
        and a rounded state depends on where its events begin."""
        return self.is_exact and not self.goes_on and not isinstance(self.tables.query, Model)

    @property
    def halo_us(self) -> tuple[int, int] | None:
        """How long before and after a pane of windows their events may start; None where a key can't be replayed pane
        by pane: a window's rows don't follow from its own events, or aren't exact."""
        if not self.is_exact or not all(each.kind.follows_from_own_events(each.query.emit) for each in self.served):
            return None
        before_us, after_us = zip(*(each.kind.halo_us(each.query.window) for each in self.served), strict=True)
        return max(before_us), max(after_us)

    @property
    def span_us(self) -> tuple[int, int]:
        return self.least_start_us, self.backs[-1].until_us

    @property
    def least_start_us(self) -> int:
        """Before which no event starts that is read for having started, not for having arrived."""
        return min(each.least_start_us for each in self.backs)


def is_exact(plan: AggregatePlan) -> bool:
    """Whether no state of an aggregate holds rounded floats or a sketch, so that none depends on what was in it before,
    or on how it was put together."""
    found = (find_monoid(spec)[1] for spec in plan.aggregates)
    return all(not isinstance(monoid, Sketch) and not monoid.floats for monoid in found)


def work_of(lake: Lake, tables: QueryTables, days: Sequence[date], read: Reading) -> Work:
    """That of some days, in rising order. EarlierDayMissing where the first starts from a state that there is not.
    O(pass ticks of the look-backs + files of silver)."""
    source = tables.source
    silver, passes = (read.snapshot.version(each.name) for each in (source.silver, source.passes))
    staircase = PassTable(lake, source, passes, read.days)
    files = files_by_day(lake, source.silver.name, silver, {*days}.__contains__)
    if tables.query.context_free:
        earlier, newest_us = None, staircase.newest_before(days)
    else:  # what had arrived before the first day is in the state
        earlier = day_state.find(lake, tables, read.days, days[0], read.snapshot.name)
        newest_us = [None] * len(days)
    paths = ([file.path for file in files.get(day, ())] for day in days)
    backs = [_look_back(tables, *each) for each in zip(paths, days, newest_us, strict=True)]
    first_day = min(each.first_day for each in backs)
    chosen = PaneChoice(None) if tables.state else choose(lake, tables, silver, first_day, days, staircase)
    ticks = staircase.ticks(chosen.panes.from_day if chosen.panes else first_day, days[-1])
    return Work(tables, tuple(backs), ticks, silver, earlier, None, *chosen)


def without_panes(lake: Lake, work: Work, read: Reading, why: str) -> Work:
    """The same, all of it from silver."""
    source = work.tables.source
    passes = PassTable(lake, source, read.snapshot.version(source.passes.name), read.days)
    ticks = passes.ticks(min(each.first_day for each in work.backs), work.days[-1])
    return replace(work, panes=None, why_panes=why, ticks=ticks)


def _look_back(tables: QueryTables, files: Sequence[str], day: date, newest_us: int | None) -> LookBack:
    """Of a day with these files, before which the newest event to have arrived started then: as far as the window that
    needs most."""
    query, stream, parts = tables.query, tables.source.stream, ServedQuery.parts_of(tables.query)
    bounds_us, first_day, least_us = None, day, day_start_us(day)
    if newest_us is not None:
        waited_us = newest_us - sum(each // MICROSECOND for each in (query.lateness, query.allowed_lateness))
        bounds_us = tuple(max(EVER_US, waited_us - each.kind.longest_us(each.query.window)) for each in parts)
        first_day, least_us = min(day, _first_arrival_day(min(bounds_us), stream)), min(bounds_us) + 1
    if any(each.kind.late_needs_later_events for each in parts) and (started := time_bounds("start", files)):
        first_day = min(first_day, _first_arrival_day(started[0] - 1, stream))
        least_us = min(least_us, started[0])
    last_us = None
    if day == stream.last_day:
        arrived = time_bounds("arrival", files)
        last_us = arrived[1] if arrived else day_start_us(day) + DAY_US - 1
    return LookBack(day, day, bounds_us, first_day, least_us, last_us)


def _first_arrival_day(start_us: int, stream: Stream) -> date:
    """The first day on which an event that starts after `start_us` can have arrived."""
    days = (start_us - stream.ahead_at_most_us) // DAY_US
    return EPOCH_DATE + timedelta(days=max(days, (date.min - EPOCH_DATE).days))
