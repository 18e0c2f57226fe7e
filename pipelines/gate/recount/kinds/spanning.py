"""Spanning windows: cut as sliding ones; an event is in those that its interval, start or end meets (semantics §2)."""

from datetime import timedelta

from windrow.pipelines.gate.recount.kinds.sliding import SlidingWindows
from windrow.pipelines.gate.recount.query_days import Recount
from windrow.schemas.windows import Spanning
from windrow.schemas.windows.regular import END, START


class SpanningWindows(SlidingWindows):
    """Sliding windows of events that last."""

    window: Spanning

    def longest(self) -> timedelta:
        return super().longest() + self.window.longest

    def reach_us(self, event: str) -> str:
        """The last time of the event, or its start if it lasts no time; or the point that counts."""
        start_us, end_us = f"epoch_us({event}.start)", f"epoch_us({event}.end)"
        return {START: start_us, END: end_us}.get(self.window.attribution, f"greatest({end_us} - 1, {start_us})")

    def from_us(self, event: str) -> str:
        return f"{event}.reach_us" if self.window.attribution == END else super().from_us(event)

    def spans(self, recount: Recount) -> str:
        """With shares a range for each window, since no two count the same of an event: O(events · their windows)."""
        spans = super().spans(recount)
        if not self.window.counts_shares:
            return spans
        met_us = f"least(reach_us + 1, {self.end('number')}) - greatest(start_us, {self.start('number')})"
        return f"""
            SELECT * EXCLUDE (number) REPLACE (number AS held_from, number + 1 AS until,
                       greatest(number, least(number + 1, on_time_from)) AS on_time_from),
                   ({met_us}) / (reach_us + 1 - start_us) AS share
            FROM (SELECT *, unnest(generate_series(held_from, until - 1)) AS number FROM ({spans}))"""


in_sql = SpanningWindows
