"""Delta frames: they grow while values are near the one that opened them."""

from pipelines.gate.recount.plain.held import HeldWindow
from pipelines.gate.recount.plain.kinds._frames import Rule, windows_of
from pipelines.gate.recount.plain.ticks import Event
from schemas.windows import DeltaFrame


def windows(window: DeltaFrame, events: list[Event]) -> list[HeldWindow]:
    """The event that closes one opens the next."""
    return windows_of(rule(window), window.column, events)


def rule(window: DeltaFrame) -> Rule:
    """Closed by a value that is `change` away from the first."""
    return Rule(lambda frame, new: abs(new.value - frame[0].value) >= window.change)
