"""Delta frames: from their first event to their last."""

from pipelines.gate.recount.kinds._frames import Frames
from schemas.windows import DeltaFrame


def in_sql(window: DeltaFrame) -> Frames:
    """Runs of events."""
    return Frames(window)
