"""Slide-by-tuple windows: all events from their start on, up to the one that triggered."""

from pipelines.gate.recount.kinds._dependent import DependentWindows
from pipelines.gate.recount.rows_held import Shape
from schemas.windows import SlideByTuple


def in_sql(window: SlideByTuple) -> DependentWindows[SlideByTuple]:
    """Their last event is the one that triggered."""
    return DependentWindows(window, Shape(from_first=False, length_us=window.size_us + 1))
