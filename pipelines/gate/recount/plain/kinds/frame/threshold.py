"""Threshold frames: maximal runs of events whose value is at least something."""

from pipelines.gate.recount.plain.held import HeldWindow
from pipelines.gate.recount.plain.kinds._frames import Frame, Rule, windows_of
from pipelines.gate.recount.plain.ticks import Event
from schemas.windows import ThresholdFrame


def windows(window: ThresholdFrame, events: list[Event]) -> list[HeldWindow]:
    """One that is too short doesn't exist."""
    return windows_of(rule(window), window.column, events)


def rule(window: ThresholdFrame) -> Rule:
    """The event that closes a frame is in none."""

    def exists(frame: Frame) -> bool:
        lasted_us = frame[-1].start - frame[0].start
        return len(frame) >= window.min_count and lasted_us >= window.min_duration_us

    return Rule(lambda frame, new: new.value < window.at_least, lambda new: bool(new.value >= window.at_least), exists)
