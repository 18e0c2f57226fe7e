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

from pipelines import lake, pass_ticks
from pipelines.config import Config
from pipelines.flow import CONTEXT_FREE
from schemas.errors import NotServed
from schemas.query import Query
from schemas.stream import Stream
from schemas.windows import Window

if TYPE_CHECKING:
    from kernels.replay import PassTicks

DAY = timedelta(days=1)
DAY_US = 86_400_000_000
MICROSECOND = timedelta(microseconds=1)
EPOCH_DATE = date(1970, 1, 1)


@dataclass(frozen=True)
class LookBack:
    """What the run of `day` reads, in µs since the epoch.

    Events with start > `bound_us` (None: nothing arrived before the day) make the rows. `late_from_us` is for
    rolling queries: the windows that a late event missed are those of its key's event times from its own
    start on, so the late table needs events with start >= `late_from_us`, however old. All of them, and all
    that arrive within the day, arrived on `first_day` or later.
    """

    day: date
    from_us: int
    until_us: int
    bound_us: int | None
    first_day: date
    ticks: "PassTicks"
    silver_version: int
    pass_version: int
    late_from_us: int | None = None
    last_tick_us: int | None = None

    @property
    def least_start_us(self) -> int:
        """The oldest event start that the run may need."""
        bound = self.from_us if self.bound_us is None else self.bound_us + 1
        return min(bound, bound if self.late_from_us is None else self.late_from_us)


def of(config: Config, query: Query, stream: Stream, day: date) -> LookBack:
    """The look-back of a run, at silver's newest version. O(pass ticks + events of the day)."""
    versions = [lake.version(config, f"{layer}_{stream.name}") for layer in ("silver", "pass")]
    from_us, until_us = day_us(day), day_us(day) + DAY_US
    ticks = pass_ticks.read_ticks(config, stream, before=_time(until_us), since=None)
    newest_us = _newest_start_before(ticks, from_us)
    bound_us = None if newest_us is None else newest_us - span_us(query.lateness) - reach_us(query)
    first_day = day if bound_us is None else min(day, first_arrival_day(bound_us, stream))
    back = LookBack(day, from_us, until_us, bound_us, first_day, _trim(ticks, day_us(first_day)), *versions)
    return _with_last_tick(config, _with_late(config, back, query, stream), stream)


def reach_us(query: Query) -> int:
    """How far before the watermark an event may start and still be in a window that can change."""
    return span_us(query.allowed_lateness) + longest_us(query.window)


def longest_us(window: Window) -> int:
    """The longest that a window of the kind can be; NotServed for kinds whose run needs carried state."""
    if window.kind not in CONTEXT_FREE:
        raise NotServed("window", window.kind, CONTEXT_FREE)
    longest = span_us(window.size)
    if getattr(window, "zone", None) is not None:
        # A local day has up to 25 hours; a part of a day may hold the repeated hour too.
        longest += max(1, window.size // DAY) * span_us(timedelta(hours=1))
    if window.kind == "spanning":
        longest += span_us(window.longest)
    return longest


def first_arrival_day(start_us: int, stream: Stream) -> date:
    """The first day on which an event that starts after `start_us` can have arrived."""
    return EPOCH_DATE + timedelta(days=(start_us - span_us(stream.ahead_at_most)) // DAY_US)


def day_us(day: date) -> int:
    """The first microsecond of a day, UTC."""
    return (day - EPOCH_DATE).days * DAY_US


def span_us(duration: timedelta) -> int:
    """Microseconds of a duration."""
    return duration // MICROSECOND


def _time(us: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)


def _newest_start_before(ticks: "PassTicks", before_us: int) -> int | None:
    steps = int(np.searchsorted(ticks.tick_us, before_us, side="left"))
    return int(ticks.newest_start_us[steps - 1]) if steps else None


def _trim(ticks: "PassTicks", since_us: int) -> "PassTicks":
    # What passed before `since_us` passed before all that the run judges: how long before changes no row, so
    # one step of it is enough. The ticks travel to every task.
    first = max(0, int(np.searchsorted(ticks.tick_us, since_us, side="left")) - 1)
    return type(ticks)(ticks.tick_us[first:], ticks.newest_start_us[first:])


def _day_column_us(config: Config, back: LookBack, stream: Stream, column: str) -> np.ndarray:
    rows = lake.read(
        config,
        f"silver_{stream.name}",
        back.silver_version,
        filters=[("arrival_date", "=", back.day)],
        columns=[column],
    )
    return pc.cast(rows[column], "int64").to_numpy()


def _with_late(config: Config, back: LookBack, query: Query, stream: Stream) -> LookBack:
    if query.window.kind != "rolling":
        return back
    starts_us = _day_column_us(config, back, stream, "start")
    if not len(starts_us):
        return back
    late_from_us = int(starts_us.min())
    reached = first_arrival_day(late_from_us - 1, stream)
    return replace(back, late_from_us=late_from_us, first_day=min(back.first_day, reached))


def _with_last_tick(config: Config, back: LookBack, stream: Stream) -> LookBack:
    if back.day != stream.last_day:
        return back
    arrivals_us = _day_column_us(config, back, stream, "arrival")
    return replace(back, last_tick_us=int(arrivals_us.max()) if len(arrivals_us) else back.until_us - 1)
