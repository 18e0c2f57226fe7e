"""Aggregate frames: from their first event to their last."""

from pipelines.gate.recount.kinds._frames import FrameWindows
from schemas.windows import AggregateFrame


def in_sql(window: AggregateFrame) -> FrameWindows:
    """Runs of events."""
    return FrameWindows(window)
