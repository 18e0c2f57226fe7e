"""Slide-by-tuple windows: every so many events one triggers, and takes those up to itself that are near enough."""

from bisect import bisect_left

from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow, Shape
from windrow.schemas.windows import SlideByTuple


def windows(window: SlideByTuple, events: list[Event]) -> list[HeldWindow]:
    """Both ends of a window's times are in it."""
    starts, held = [event.start for event in events], []
    for number in range(window.step, len(events) + 1, window.step):
        trigger = starts[number - 1]
        within = events[bisect_left(starts, trigger - window.size_us) : number]
        held.append(HeldWindow(trigger - window.size_us, trigger + 1, trigger + 1, within))
    return held


def shape(window: SlideByTuple) -> Shape:
    """All events from their start on, up to the one that triggered."""
    return Shape(from_first=False, length_us=window.size_us + 1)
