"""Sessions: all events from the first to the last, and none within a gap of these."""

from collections.abc import Mapping

import numpy as np

from pipelines.gate.recount import sql
from pipelines.gate.recount.database import EVER_US
from pipelines.gate.recount.kinds._dependent import DependentWindows
from pipelines.gate.recount.ordered_events import OrderedEvents
from pipelines.gate.recount.query_days import QueryDays, value_name
from pipelines.gate.recount.rows_held import HeldBounds, RowsToCount, Shape
from pipelines.gate.recount.sessions_held import bounds_by_reach
from pipelines.gate.recount.ticks import watermark_before_us
from schemas.windows import Session


class SessionWindows(DependentWindows[Session]):
    """They end a gap behind their last event, and only ever join: one that still stands alone is not closed."""

    closing_events = "least"

    def __init__(self, window: Session):
        super().__init__(window)
        gap_us = window.gap_us
        self.shape = Shape(shared_first=False, shared_last=False, tail_us=gap_us, alone_us=gap_us)


class ReachingSessions(DependentWindows[Session]):
    """The gap behind each event is its own. What closes a window came at that tick, so that it is among the events
    that start behind all that was final before the day."""

    closing_events = "least"
    shape = Shape(shared_first=False, shared_last=False)

    def first_start_us(self, recount: QueryDays, watermark_us: int) -> int:
        """Of what can still be changed, too."""
        return min(super().first_start_us(recount, watermark_us), self._final_until_us(recount) - 1)

    def holds(self, recount: QueryDays, event: str) -> str:
        return f"coalesce({self._value(recount, event)} > 0, FALSE)"

    def since_us(self, recount: QueryDays) -> str:
        return f"least({super().since_us(recount)}, {self._final_until_us(recount)})"

    def read_of_events(self, recount: QueryDays) -> str:
        return f", taken.start_us + {self._value(recount, 'taken')} * {self.window.unit_us} AS until_us"

    def bounds_of(self, events: OrderedEvents, read: Mapping[str, np.ndarray], rows: RowsToCount) -> HeldBounds:
        return bounds_by_reach(events, np.ma.getdata(read["until_us"]).astype(np.int64), rows)

    def _value(self, recount: QueryDays, event: str) -> str:
        [column] = self.window.cutting_columns
        return f"CAST({event}.{value_name(recount.query, column)} AS BIGINT)"

    def _final_until_us(self, recount: QueryDays) -> int:
        watermark_us = watermark_before_us(recount)
        return EVER_US if watermark_us is None else watermark_us - sql.microseconds(recount.query.allowed_lateness)


def in_sql(window: Session) -> DependentWindows[Session]:
    """By whether the gap is a column."""
    return SessionWindows(window) if window.column is None else ReachingSessions(window)
