"""Aggregate frames: from their first event to their last."""

from pipelines.gate.recount.kinds._frames import Frames
from schemas.windows import AggregateFrame


def in_sql(window: AggregateFrame) -> Frames:
    """Runs of events."""
    return Frames(window)
