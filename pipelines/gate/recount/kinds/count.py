"""Count windows: so many events each, in order of start or as they arrived."""

from pipelines.gate.recount.kinds._dependent import DependentWindows
from pipelines.gate.recount.rows_held import Shape
from schemas.windows import Count


def in_sql(window: Count) -> DependentWindows[Count]:
    """By event time they are runs of events. As they arrived, they are some of those between their first and last time,
    pass with their last, and nothing is late for them."""
    if window.order == "arrival":
        shape = Shape(all_between=False, never_late=True)
        return DependentWindows(window, shape, passes_at_end=False, size=window.size)
    return DependentWindows(window, size=window.size)
