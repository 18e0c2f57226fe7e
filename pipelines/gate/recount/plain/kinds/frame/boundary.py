"""Boundary frames: runs of events whose values are between the same two multiples of a width."""

import math

from windrow.pipelines.gate.recount.plain.kinds.frame import Rule, shape_of_frames, windows_by
from windrow.schemas.windows import BoundaryFrame


def rule(window: BoundaryFrame) -> Rule:
    """Closed by a value between two others, which opens the next."""
    return Rule(lambda frame, new: _step(window, frame[0].value) != _step(window, new.value))


def _step(window: BoundaryFrame, value: float) -> float:
    steps = (value - window.offset) / window.width
    return math.floor(steps) if math.isfinite(steps) else steps


windows, shape = windows_by(rule), shape_of_frames
