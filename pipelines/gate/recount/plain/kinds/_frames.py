"""Frames: runs of events that their values say, per event in this order: close? update? open?"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from pipelines.gate.recount.plain.held import HeldWindow
from pipelines.gate.recount.plain.ticks import Event


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


def windows_of(rule: Rule, column: str, events: list[Event]) -> list[HeldWindow]:
    """What ends a frame is the next event that has a value; an open one is passed when the watermark is at infinity."""
    values = [(place, event.row[column]) for place, event in enumerate(events)]
    valued = [Valued(events[place].start, place, value) for place, value in values if value is not None]
    places = [each.place for each in valued]
    behind = dict(zip(places, places[1:], strict=False))
    held = []
    for frame in frames_of(rule, valued):
        last = frame[-1].place
        closed_by = events[behind[last]] if last in behind else None
        passes = closed_by.start if closed_by else math.inf
        within = [events[each.place] for each in frame]
        held.append(HeldWindow(frame[0].start, frame[-1].start + 1, passes, within, closed_by))
    return held
