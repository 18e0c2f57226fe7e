"""Spanning windows: cut as sliding ones; an event is in every window that its interval meets."""

from datetime import timedelta

from pipelines.gate.recount.kinds.sliding import SlidingWindows
from schemas.windows import Spanning


class SpanningWindows(SlidingWindows):
    """Sliding windows of events that last."""

    window: Spanning

    def longest(self) -> timedelta:
        return super().longest() + self.window.longest

    def reach_us(self, event: str) -> str:
        """The last time of the event, or its start if it lasts no time."""
        return f"greatest(epoch_us({event}.end) - 1, epoch_us({event}.start))"


in_sql = SpanningWindows
