"""So many events, every so many of them."""

import math

from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow, Shape
from windrow.schemas.windows import Count


def windows(window: Count, events: list[Event]) -> list[HeldWindow]:
    """Only full ones exist. By arrival they are passed as their last event comes."""
    held = []
    for first in range(0, len(events) - window.size + 1, window.step):
        within = events[first : first + window.size]
        starts = [event.start for event in within]
        end = max(starts) + 1
        held.append(HeldWindow(min(starts), end, -math.inf if window.order == "arrival" else end, within))
    return held


def shape(window: Count) -> Shape:
    """By event time they are runs of events. As they arrived, they are some of those between their first and last time,
    pass with their last, and nothing is late for them."""
    if window.order == "arrival":
        return Shape(all_between=False, passes_at_end=False, never_late=True, size=window.size)
    return Shape(size=window.size)
