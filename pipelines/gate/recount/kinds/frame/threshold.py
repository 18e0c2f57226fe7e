"""Threshold frames: from their first event to their last."""

from pipelines.gate.recount.kinds._frames import Frames
from schemas.windows import ThresholdFrame


def in_sql(window: ThresholdFrame) -> Frames:
    """Runs of events."""
    return Frames(window)
