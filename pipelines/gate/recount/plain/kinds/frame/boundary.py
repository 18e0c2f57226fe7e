"""Boundary frames: runs of events whose values are between the same two multiples of a width."""

import math

from pipelines.gate.recount.plain.held import HeldWindow
from pipelines.gate.recount.plain.kinds._frames import Rule, windows_of
from pipelines.gate.recount.plain.ticks import Event
from schemas.windows import BoundaryFrame


def windows(window: BoundaryFrame, events: list[Event]) -> list[HeldWindow]:
    """The event that closes one opens the next."""
    return windows_of(rule(window), window.column, events)


def rule(window: BoundaryFrame) -> Rule:
    """Closed by a value between two others."""
    return Rule(lambda frame, new: _step(window, frame[0].value) != _step(window, new.value))


def _step(window: BoundaryFrame, value: float) -> float:
    steps = (value - window.offset) / window.width
    return math.floor(steps) if math.isfinite(steps) else steps
