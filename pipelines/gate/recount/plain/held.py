"""A window that exists, with its events."""

from typing import NamedTuple

from pipelines.gate.recount.plain.ticks import Event


class HeldWindow(NamedTuple):
    """passes: the watermark that passes it; closed_by: of a frame, the event that ended it."""

    start: int
    end: int
    passes: float
    events: list[Event]
    closed_by: Event | None = None
