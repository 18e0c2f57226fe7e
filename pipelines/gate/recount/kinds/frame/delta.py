"""Delta frames: from their first event to their last."""

from pipelines.gate.recount.kinds.frame import FrameWindows

in_sql = FrameWindows
