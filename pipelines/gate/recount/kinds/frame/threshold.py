"""Threshold frames: from their first event to their last."""

from pipelines.gate.recount.kinds._frames import FrameWindows
from schemas.windows import ThresholdFrame


def in_sql(window: ThresholdFrame) -> FrameWindows:
    """Runs of events."""
    return FrameWindows(window)
