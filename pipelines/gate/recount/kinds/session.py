"""Sessions: each event covers the times from its start to before start + gap; those that follow on each other are one.

    start     ├───────┤                 a window ends where one of its own events reaches and none goes on; none from
                 ├──────────────┤       before covers its start
              start            end

How many events cover a time is how many start before it less how many reach no further: two counts, no walk.
"""

from collections.abc import Mapping

import numpy as np

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.kinds._dependent import DependentWindows
from windrow.pipelines.gate.recount.query_days import Recount, column_name
from windrow.pipelines.gate.recount.rows_held import HeldBounds, OrderedEvents, RowsToCount
from windrow.pipelines.gate.recount.ticks import watermark_before_us
from windrow.schemas.windows import Session


class SessionWindows(DependentWindows[Session]):
    """They only ever join: one that still stands alone is not closed. What closes one came at that tick: it is near,
    or where gaps are the events' own, among those that start behind all that was final before the day."""

    closing_events = "least"
    ends = "rows that close a window too"

    def __init__(self, window: Session):
        super().__init__(window)
        # How long before a window an event may lie that belongs to it: of gaps that differ no such time is known.
        self._near_us = window.gap_us if window.column is None else 0

    def first_start_us(self, recount: Recount, watermark_us: int) -> int:
        oldest_us = super().first_start_us(recount, watermark_us) - self._near_us
        return min(oldest_us, self._final_until_us(recount) - 1)

    def since_us(self, recount: Recount) -> str:
        return f"least({super().since_us(recount)} - {self._near_us}, {self._final_until_us(recount)})"

    def holds(self, recount: Recount, event: str) -> str:
        return f"coalesce({self._gap_us(recount, event)} > 0, FALSE)"

    def read_of_events(self, recount: Recount) -> str:
        return f", CAST(taken.start_us + {self._gap_us(recount, 'taken')} AS BIGINT) AS until_us"

    def bounds_of(self, events: OrderedEvents, read: Mapping[str, np.ndarray], rows: RowsToCount) -> HeldBounds:
        return bounds_by_reach(events, np.ma.getdata(read["until_us"]).astype(np.int64), rows)

    def _gap_us(self, recount: Recount, event: str) -> str:
        if self.window.column is None:
            return str(self.window.gap_us)
        return f"CAST({event}.{column_name(recount.query, self.window.column)} AS HUGEINT) * {self.window.unit_us}"

    def _final_until_us(self, recount: Recount) -> int:
        if self.window.column is None:
            return sql.NEVER_US
        watermark_us = watermark_before_us(recount)
        return sql.EVER_US if watermark_us is None else watermark_us - sql.microseconds(recount.query.allowed_lateness)


in_sql = SessionWindows


def bounds_by_reach(events: OrderedEvents, reaches_us: np.ndarray, rows: RowsToCount) -> HeldBounds:
    """Of rows that silver allows fewest and most are one number. reaches_us: of each event, start + gap. O(events ·
    log² events + rows · log events)."""
    order = np.lexsort((reaches_us, events.keys))
    by_reach = OrderedEvents(events.keys[order], reaches_us[order], events.arrivals_us[order])
    places = events.place(rows.keys, np.stack((rows.starts_us, rows.ends_us, rows.starts_us + 1)))
    reached = by_reach.place(rows.keys, np.stack((rows.starts_us + 1, rows.ends_us + 1, rows.ends_us)))
    (first, end, behind_first), in_time = events.arrived(places, rows.by_us)
    over_first, over_end, before_end = by_reach.arrived(reached, rows.emitted_us)
    is_alone, has_ends = (first == over_first) & (end == over_end), (behind_first > first) & (over_end > before_end)
    held, late = end - first, end - first - (in_time[1] - in_time[0])
    exists = is_alone & has_ends & _unbroken(events, reaches_us, *places[:2])
    return HeldBounds(held, held, late, late, places[1] - places[0]).where(exists)


def _unbroken(events: OrderedEvents, reaches_us: np.ndarray, firsts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Whether no event in a window, but its first, begins a session: those that come later only cover more."""
    if not len(reaches_us):
        return np.zeros(len(firsts), bool)
    known, ranks = np.unique(reaches_us, return_inverse=True)
    furthest = known[np.maximum.accumulate(events.keys * len(known) + ranks) % len(known)]
    begins = np.append(True, (np.diff(events.keys) != 0) | (events.starts_us[1:] >= furthest[:-1]))
    sessions = np.cumsum(begins)
    last = len(begins) - 1
    return sessions[np.clip(ends - 1, firsts, last)] == sessions[np.minimum(firsts, last)]
