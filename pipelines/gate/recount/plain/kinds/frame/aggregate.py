"""Aggregate frames: they grow until an aggregate of them reaches a bound."""

from collections.abc import Callable
from typing import Any

from windrow.pipelines.gate.recount.plain.aggregates import aggregate
from windrow.pipelines.gate.recount.plain.kinds.frame import Rule, shape_of_frames, windows_by
from windrow.schemas.query import agg
from windrow.schemas.windows import AggregateFrame


def rule(window: AggregateFrame, aggregate_of: Callable[[list], Any] | None = None) -> Rule:
    """Closed where the aggregate of a frame's values, without the new event, is at the bound: the event that reaches it
    is the last of its frame."""

    def plain(values: list) -> Any:
        return aggregate(agg(window.function, "value"), [{"value": value} for value in values])

    def closes(frame: list, _: object) -> bool:
        found = (aggregate_of or plain)([each.value for each in frame])
        return found is not None and found >= window.bound

    return Rule(closes)


windows, shape = windows_by(rule), shape_of_frames
