"""Boundary frames: from their first event to their last."""

from pipelines.gate.recount.kinds._frames import Frames
from schemas.windows import BoundaryFrame


def in_sql(window: BoundaryFrame) -> Frames:
    """Runs of events."""
    return Frames(window)
