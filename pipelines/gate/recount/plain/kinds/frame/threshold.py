"""Threshold frames: maximal runs of events whose value is at least something."""

from windrow.pipelines.gate.recount.plain.kinds.frame import Frame, Rule, shape_of_frames, windows_by
from windrow.schemas.windows import ThresholdFrame


def rule(window: ThresholdFrame) -> Rule:
    """The event that closes a frame is in none; one that is too short doesn't exist."""

    def exists(frame: Frame) -> bool:
        lasted_us = frame[-1].start - frame[0].start
        return len(frame) >= window.min_count and lasted_us >= window.min_duration_us

    return Rule(lambda frame, new: new.value < window.at_least, lambda new: bool(new.value >= window.at_least), exists)


windows, shape = windows_by(rule), shape_of_frames
