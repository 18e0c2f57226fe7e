"""Boundary frames: from their first event to their last."""

from pipelines.gate.recount.kinds._frames import FrameWindows
from schemas.windows import BoundaryFrame


def in_sql(window: BoundaryFrame) -> FrameWindows:
    """Runs of events."""
    return FrameWindows(window)
