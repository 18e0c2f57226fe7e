"""Frames: runs of events that their values say, per event in this order: close? update? open?

One file is one kind (frame.delta: delta.py), and has a `rule(window)`; they have one shape.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow, Shape
from windrow.schemas.windows import Window


class Valued(NamedTuple):
    """An event that has a value; place: which of its key's events it is."""

    start: int
    place: int
    value: Any


Frame = list[Valued]


@dataclass(frozen=True)
class Rule:
    """Of a kind of frames. closes: whether an event ends a frame, of which it is no part; opens: whether it may be the
    first of one; exists: whether a frame is long enough."""

    closes: Callable[[Frame, Valued], bool]
    opens: Callable[[Valued], bool] = lambda new: True
    exists: Callable[[Frame], bool] = lambda frame: True


def frames_of(rule: Rule, events: list[Valued]) -> list[Frame]:
    """Of events in order, that have a value."""
    found: list[Frame] = []
    frame: Frame = []
    for each in events:
        if frame and rule.closes(frame, each):
            found.append(frame)
            frame = []
        if frame or rule.opens(each):
            frame.append(each)
    found += [frame] if frame else []
    return [frame for frame in found if rule.exists(frame)]


def windows_by(rule_of: Callable[[Any], Rule]) -> Callable[[Any, list[Event]], list[HeldWindow]]:
    """A kind's `windows`. What ends a frame is the next event that has a value; an open one is passed when the
    watermark is at infinity."""

    def windows(window: Any, events: list[Event]) -> list[HeldWindow]:
        values = [(place, event.row[window.column]) for place, event in enumerate(events)]
        valued = [Valued(events[place].start, place, value) for place, value in values if value is not None]
        behind = {each.place: events[after.place] for each, after in pairwise(valued)}
        return [_held(frame, events, behind.get(frame[-1].place)) for frame in frames_of(rule_of(window), valued)]

    return windows


def shape_of_frames(window: Window) -> Shape:
    """Runs of the events that have a value; which event ended one, its times don't say."""
    return Shape(passes_at_end=False)


def _held(frame: Frame, events: list[Event], closed_by: Event | None) -> HeldWindow:
    passes = closed_by.start if closed_by else math.inf
    within = [events[each.place] for each in frame]
    return HeldWindow(frame[0].start, frame[-1].start + 1, passes, within, closed_by)
