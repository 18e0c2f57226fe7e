"""What a run reads (semantics §4): which events before a day can still matter to rows of that day.

Let w be the watermark just before day D. A window can still change in D only if its end is after w − allowed
lateness, so its events start after w − allowed lateness − size: that is `bound_us`. No accepted event is further
ahead of its arrival than the stream's `ahead_at_most`, so these events arrived on `first_day` or later.

Days that follow each other may be replayed at once, from the first one's bound on: no event between that and a later
day's bound is in a window that can change then. Rounded results depend on the first event that is read, so that days
are replayed one by one where an aggregate rounds as it goes (replay_plan.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np

from pipelines.delta.lake import Lake
from pipelines.replay.row_groups import bounds_us
from pipelines.replay.specifications import ServedQuery
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.heartbeats import DAY_US, EPOCH_DATE, day_start_us
from pipelines.tables.snapshot import Snapshot
from pipelines.tables.stream_tables import StreamTables
from schemas.stream import Stream
from schemas.windows import MICROSECOND

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
        return LookBack(self.first, later.last, self.bound_us, first_day, least_us, later.last_tick_us)


def look_back_of(
    served: ServedQuery, stream: Stream, files: Sequence[str], day: date, newest_us: int | None
) -> LookBack:
    """Of a day with these files, before which the newest event to have arrived started then."""
    bound_us, first_day, least_us = None, day, day_start_us(day)
    if newest_us is not None:
        waits_us = (each // MICROSECOND for each in (served.query.lateness, served.query.allowed_lateness))
        bound_us = max(EVER_US, newest_us - sum(waits_us) - served.kind.longest_us(served.query.window))
        first_day, least_us = min(day, _first_arrival_day(bound_us, stream)), bound_us + 1
    if served.kind.late_needs_later_events and (started := bounds_us("start", files)):
        first_day = min(first_day, _first_arrival_day(started[0] - 1, stream))
        least_us = min(least_us, started[0])
    return LookBack(day, day, bound_us, first_day, least_us, _last_tick_us(stream, files, day))


def _first_arrival_day(start_us: int, stream: Stream) -> date:
    """The first day on which an event that starts after `start_us` can have arrived."""
    days = (start_us - stream.ahead_at_most_us) // DAY_US
    return EPOCH_DATE + timedelta(days=max(days, (date.min - EPOCH_DATE).days))


def _last_tick_us(stream: Stream, files: Sequence[str], day: date) -> int | None:
    """Of the stream's last day; None of others."""
    if day != stream.last_day:
        return None
    arrived = bounds_us("arrival", files)
    return arrived[1] if arrived else day_start_us(day) + DAY_US - 1
