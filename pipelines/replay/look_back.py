"""What a run reads (semantics §4): which events before its day can still matter to rows of its day.

Let w be the watermark just before day D. A window can still change in D only if its end is after w − allowed
lateness, so its events start after w − allowed lateness − size: that is `bound_us`. No accepted event is further
ahead of its arrival than the stream's `ahead_at_most`, so these events arrived on `first_day` or later.

Bound and days follow from query and data alone: floating-point results depend on the first event that is read.
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.replay import watermark
from pipelines.replay.specifications import ServedQuery
from schemas.stream import Stream
from schemas.windows import require_context_free

if TYPE_CHECKING:
    from kernels.replay import PassTicks

DAY = timedelta(days=1)
DAY_US = 86_400_000_000
MICROSECOND = timedelta(microseconds=1)
EPOCH_DATE = date(1970, 1, 1)
# Before every event: a query may wait for longer than there are days.
EVER_US = -(1 << 62)


@dataclass(frozen=True)
class LookBack:
    """What the run of `day` reads, in µs since the epoch.

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
    pass_version: int
    least_start_us: int
    last_tick_us: int | None = None


def of(lake: Lake, tables: QueryTables, served: ServedQuery, day: date) -> LookBack:
    """The look-back of a run, at silver's newest version. O(pass ticks + events of the day)."""
    require_context_free(tables.query.window)
    query, source = tables.query, tables.source
    versions = lake.existing_version(source.silver.name), lake.existing_version(source.passes.name)
    from_us, until_us = day_us(day), day_us(day) + DAY_US
    ticks = watermark.read_ticks(lake, source.passes, before=_time(until_us))
    newest_us = _newest_start_before(ticks, from_us)
    bound_us = None if newest_us is None else max(EVER_US, newest_us - span_us(query.lateness) - reach_us(served))
    first_day = day if bound_us is None else min(day, first_arrival_day(bound_us, source.stream))
    least_us = from_us if bound_us is None else bound_us + 1
    trimmed = _trim(ticks, day_us(first_day))
    back = LookBack(day, from_us, until_us, bound_us, first_day, trimmed, *versions, least_us)
    if served.kind.late_needs_later_events:
        back = _with_late(lake, back, tables)
    return _with_last_tick(lake, back, tables)


def reach_us(served: ServedQuery) -> int:
    """How far before the watermark an event may start and still be in a window that can change."""
    return span_us(served.query.allowed_lateness) + served.kind.longest_us(served.query.window)


def first_arrival_day(start_us: int, stream: Stream) -> date:
    """The first day on which an event that starts after `start_us` can have arrived."""
    days = (start_us - span_us(stream.ahead_at_most)) // DAY_US
    return EPOCH_DATE + timedelta(days=max(days, (date.min - EPOCH_DATE).days))


def day_us(day: date) -> int:
    """The first microsecond of a day, UTC."""
    return (day - EPOCH_DATE).days * DAY_US


def span_us(duration: timedelta) -> int:
    """Microseconds of a duration."""
    return duration // MICROSECOND


def _time(us: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)


def _newest_start_before(ticks: "PassTicks", before_us: int) -> int | None:
    before = int(np.searchsorted(ticks.tick_us, before_us, side="left"))
    return int(ticks.newest_start_us[before - 1]) if before else None


def _trim(ticks: "PassTicks", since_us: int) -> "PassTicks":
    # What passed before `since_us` passed before all that the run looks at: how long before changes no row, so
    # one staircase step of it is enough. The ticks travel to every task.
    first = max(0, int(np.searchsorted(ticks.tick_us, since_us, side="left")) - 1)
    return type(ticks)(ticks.tick_us[first:], ticks.newest_start_us[first:])


def _day_column_us(lake: Lake, back: LookBack, tables: QueryTables, column: str) -> np.ndarray:
    of_day = [("arrival_date", "=", back.day)]
    rows = lake.read(tables.source.silver.name, back.silver_version, of_day, [column])
    return pc.cast(rows[column], "int64").to_numpy()


def _with_late(lake: Lake, back: LookBack, tables: QueryTables) -> LookBack:
    starts_us = _day_column_us(lake, back, tables, "start")
    if not len(starts_us):
        return back
    oldest_us = int(starts_us.min())
    reached = first_arrival_day(oldest_us - 1, tables.source.stream)
    least_us = min(back.least_start_us, oldest_us)
    return replace(back, first_day=min(back.first_day, reached), least_start_us=least_us)


def _with_last_tick(lake: Lake, back: LookBack, tables: QueryTables) -> LookBack:
    if back.day != tables.source.stream.last_day:
        return back
    arrivals_us = _day_column_us(lake, back, tables, "arrival")
    return replace(back, last_tick_us=int(arrivals_us.max()) if len(arrivals_us) else back.until_us - 1)
