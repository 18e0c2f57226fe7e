"""Delta windows: of the events before the one that triggered, those in a range of values."""

from pipelines.gate.recount.kinds._dependent import DependentWindows
from pipelines.gate.recount.rows_held import Shape
from schemas.windows import Delta


def in_sql(window: Delta) -> DependentWindows[Delta]:
    """Which one triggered, and when that was passed, their times don't say."""
    return DependentWindows(window, Shape(all_between=False), passes_at_end=False)
