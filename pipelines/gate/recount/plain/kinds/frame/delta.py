"""Delta frames: they grow while values are near the one that opened them."""

from windrow.pipelines.gate.recount.plain.kinds.frame import Rule, shape_of_frames, windows_by
from windrow.schemas.windows import DeltaFrame


def rule(window: DeltaFrame) -> Rule:
    """Closed by a value that is `change` away from the first, which opens the next."""
    return Rule(lambda frame, new: abs(new.value - frame[0].value) >= window.change)


windows, shape = windows_by(rule), shape_of_frames
