"""Days of a query, what a run of them reads, and what follows from that for every task of it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

import pyarrow as pa

from kernels.monoid import Sketch
from kernels.monoids import find_monoid
from kernels.replay import PassTicks
from pipelines.delta.day_files import files_by_day
from pipelines.delta.lake import Lake
from pipelines.replay import earlier_state
from pipelines.replay.earlier_state import EarlierState
from pipelines.replay.look_back import LookBack, Reading, look_back_of
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.watermark import PassTable
from pipelines.rows.arrow_schemas import ARROW_TYPES
from pipelines.tables.aggregates import plan_aggregates
from pipelines.tables.query_tables import QueryTables
from schemas.model import Model
from schemas.state_table import CARRIED

ORDER_COLUMNS = ("start", "end", "arrival", "path", "line", "reading")


@dataclass(frozen=True)
class Work:
    """backs: of each day, in rising order; ticks: the watermark's staircase over all that is read; silver_version: of
    which it is read; earlier: the state that the first day goes on from; workers: threads of a model's farm, None of a
    plain query."""

    tables: QueryTables
    served: ServedQuery
    backs: tuple[LookBack, ...]
    ticks: PassTicks
    silver_version: int
    earlier: EarlierState | None = None
    workers: int | None = None

    @property
    def days(self) -> list[date]:
        """The run's."""
        return [each.last for each in self.backs]

    def reads(self, day: date) -> bool:
        """Whether the run reads events that arrived on a day."""
        return any(each.reads(day) for each in self.backs)

    def arrival_days(self, days: Iterable[date]) -> list[date]:
        """Those of the days whose events are read, and the run's own."""
        return sorted({*self.days, *filter(self.reads, days)})

    @property
    def goes_on(self) -> bool:
        """Whether each day goes on from the state that the one before it left."""
        return self.tables.state is not None

    @property
    def whole_buckets(self) -> bool:
        """Whether a key is in one bucket only."""
        return set(self.tables.source.stream.key) <= set(self.tables.query.key)

    @cached_property
    def event_schema(self) -> pa.Schema:
        """The columns of silver that are read."""
        query, silver = self.tables.query, {column.name: column for column in self.tables.source.silver.columns}
        read = [silver[name] for name in dict.fromkeys((*query.read_columns, *ORDER_COLUMNS))]
        return pa.schema([pa.field(each.name, ARROW_TYPES[each.type], each.nullable) for each in read])

    @cached_property
    def read_schema(self) -> pa.Schema:
        """With that of the state, whose rows come along as rows among the events."""
        if not self.goes_on:
            return self.event_schema
        return pa.schema([*(field.with_nullable(True) for field in self.event_schema), (CARRIED, pa.binary())])

    @cached_property
    def is_exact(self) -> bool:
        """Whether rows are the same to the last bit whichever events a replay begins with: no state of an aggregate
        holds rounded floats or a sketch."""
        plan = plan_aggregates(self.tables.query, {field.name: field.type for field in self.event_schema}).plan
        found = (find_monoid(spec)[1] for spec in plan.aggregates)
        return all(not isinstance(monoid, Sketch) and not monoid.floats for monoid in found)

    @property
    def at_once(self) -> bool:
        """Whether days that follow each other can be one pass. Farms are counted by day; what a day leaves is its own;
        and a rounded state depends on where its events begin."""
        return self.is_exact and not self.goes_on and not isinstance(self.tables.query, Model)

    @property
    def halo_us(self) -> tuple[int, int] | None:
        """How long before and after a pane of windows their events may start; None where a key can't be replayed pane
        by pane: a window's rows don't follow from its own events, or aren't exact."""
        query, kind = self.tables.query, self.served.kind
        return kind.halo_us(query.window) if self.is_exact and kind.follows_from_own_events(query.emit) else None

    @property
    def least_start_us(self) -> int:
        """Before which no event starts that is read for having started, not for having arrived."""
        return min(each.least_start_us for each in self.backs)


def work_of(lake: Lake, tables: QueryTables, served: ServedQuery, days: Sequence[date], read: Reading) -> Work:
    """That of some days, in rising order. O(pass ticks of the look-backs + files of silver).

    EarlierDayMissing where the first day starts from a state that there is not.
    """
    source = tables.source
    silver, passes = (read.snapshot.version(each.name) for each in (source.silver, source.passes))
    staircase = PassTable(lake, source, passes, read.days)
    files = files_by_day(lake, source.silver.name, silver, {*days}.__contains__)
    if tables.query.window.context_free:
        earlier, newest_us = None, staircase.newest_before(days)
    else:  # what had arrived before the first day is in the state
        earlier = earlier_state.find(lake, tables, read.days, days[0], read.snapshot.name)
        newest_us = [None] * len(days)
    paths = ([file.path for file in files.get(day, ())] for day in days)
    backs = [look_back_of(served, source.stream, *each) for each in zip(paths, days, newest_us, strict=True)]
    ticks = staircase.ticks(min(each.first_day for each in backs), days[-1])
    return Work(tables, served, tuple(backs), ticks, silver, earlier)
