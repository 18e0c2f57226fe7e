"""Aggregate frames: they grow until an aggregate of them reaches a bound."""

from collections.abc import Callable
from typing import Any

from pipelines.gate.recount.plain.aggregates import aggregate
from pipelines.gate.recount.plain.held import HeldWindow
from pipelines.gate.recount.plain.kinds._frames import Rule, windows_of
from pipelines.gate.recount.plain.ticks import Event
from schemas.query import agg
from schemas.windows import AggregateFrame


def windows(window: AggregateFrame, events: list[Event]) -> list[HeldWindow]:
    """The event that reaches the bound is the last of its frame."""
    asked = agg(window.function, "value")
    found = rule(window, lambda values: aggregate(asked, [{"value": value} for value in values]))
    return windows_of(found, window.column, events)


def rule(window: AggregateFrame, aggregate_of: Callable[[list], Any]) -> Rule:
    """Closed where the aggregate of a frame's values, without the new event, is at the bound."""

    def closes(frame: list, _: object) -> bool:
        found = aggregate_of([each.value for each in frame])
        return found is not None and found >= window.bound

    return Rule(closes)
