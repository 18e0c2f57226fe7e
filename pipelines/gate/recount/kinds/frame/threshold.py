"""Threshold frames: from their first event to their last."""

from pipelines.gate.recount.kinds.frame import frames

in_sql = frames
