"""Delta frames: from their first event to their last."""

from pipelines.gate.recount.kinds._frames import FrameWindows
from schemas.windows import DeltaFrame


def in_sql(window: DeltaFrame) -> FrameWindows:
    """Runs of events."""
    return FrameWindows(window)
