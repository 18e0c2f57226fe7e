"""Policy windows: after each event the policy says which of the oldest go."""

from collections.abc import Mapping
from datetime import datetime

from windrow.pipelines.gate.recount.plain.aggregates import Row, aggregate
from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow, Shape, to_us
from windrow.schemas.windows import Policy
from windrow.schemas.windows.policy import EvictionPolicy


def windows(window: Policy, events: list[Event]) -> list[HeldWindow]:
    """One an event, of what the policy has left."""
    policy, parameters = window.policy, window.values
    rows = [{**event.row, "start": event.start, "end": event.end, "arrival": event.arrival} for event in events]
    first, held = 0, []
    for place, event in enumerate(events):
        first += _out(policy, parameters, rows[first : place + 1])
        if first <= place:
            held.append(HeldWindow(events[first].start, event.start + 1, event.start + 1, events[first : place + 1]))
    return held


def shape(window: Policy) -> Shape:
    """All events from the oldest that is kept to the newest."""
    return Shape()


def _out(policy: EvictionPolicy, parameters: tuple[object, ...], rows: list[Row]) -> int:
    """How many of the oldest go: it is asked of one, of two, and so on, until it says no."""
    total = _seen(policy, rows)
    for many in range(1, len(rows) + 1):
        if not policy.out(total, _seen(policy, rows[:many]), *parameters):
            return many - 1
    return len(rows)


def _seen(policy: EvictionPolicy, rows: list[Row]) -> Mapping[str, object]:
    """What the policy sees of events, times in µs."""
    found = {name: aggregate(each, rows) for name, each in policy.reads.items()}
    return {name: to_us(value) if isinstance(value, datetime) else value for name, value in found.items()}
