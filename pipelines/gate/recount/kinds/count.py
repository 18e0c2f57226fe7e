"""Count windows: so many events each, in order of start or as they arrived."""

from pipelines.gate.recount.kinds._dependent import DependentWindows
from pipelines.gate.recount.query_days import Recount
from pipelines.gate.recount.rows_held import Shape
from schemas.windows import Count


class CountWindows(DependentWindows[Count]):
    """By event time they are runs of events; as they arrived, some of those between their first and last time."""

    def __init__(self, window: Count):
        super().__init__(window)
        self.size = window.size


class CountWindowsByArrival(CountWindows):
    """Nothing is late for them, and they pass with their last event."""

    shape = Shape(all_between=False, never_late=True)
    passes_at_end = False

    def is_too_late(self, recount: Recount, event: str) -> str:
        return "FALSE"


def in_sql(window: Count) -> DependentWindows:
    return CountWindowsByArrival(window) if window.order == "arrival" else CountWindows(window)
