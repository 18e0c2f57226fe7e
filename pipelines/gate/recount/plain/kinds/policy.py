"""Policy windows: after each event the policy says which of the oldest go."""

from collections.abc import Mapping
from datetime import datetime

from pipelines.gate.recount.plain.aggregates import aggregate
from pipelines.gate.recount.plain.held import Held
from pipelines.gate.recount.plain.ticks import Event
from pipelines.gate.recount.plain.times import to_us
from schemas.windows import Policy


def windows(window: Policy, events: list[Event]) -> list[Held]:
    """One an event, of what the policy has left."""
    kept: list[Event] = []
    held = []
    for event in events:
        kept = [*kept, event]
        kept = kept[_out(window, kept) :]
        if kept:
            held.append(Held(kept[0].start, event.start + 1, event.start + 1, kept))
    return held


def _out(window: Policy, kept: list[Event]) -> int:
    """How many of the oldest go: it is asked of one, of two, and so on, until it says no."""
    total, parameters = _seen(window, kept), window.values
    for many in range(1, len(kept) + 1):
        if not window.policy.out(total, _seen(window, kept[:many]), *parameters):
            return many - 1
    return len(kept)


def _seen(window: Policy, events: list[Event]) -> Mapping[str, object]:
    """What the policy sees of events."""
    rows = [{**event.row, "start": event.start, "end": event.end, "arrival": event.arrival} for event in events]
    found = {name: aggregate(each, rows) for name, each in window.reads.items()}
    return {name: to_us(value) if isinstance(value, datetime) else value for name, value in found.items()}
