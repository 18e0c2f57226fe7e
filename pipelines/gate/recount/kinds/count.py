"""Count windows: so many events each, in order of start or as they arrived."""

from pipelines.gate.recount.kinds._dependent import DependentWindows
from pipelines.gate.recount.rows_held import Shape
from schemas.windows import Count


class CountWindows(DependentWindows[Count]):
    """By event time they are runs of events. As they arrived, they are some of those between their first and last time,
    pass with their last, and nothing is late for them."""

    def __init__(self, window: Count):
        super().__init__(window)
        self.size = window.size
        if window.order == "arrival":
            self.shape, self.passes_at_end = Shape(all_between=False, never_late=True), False


in_sql = CountWindows
