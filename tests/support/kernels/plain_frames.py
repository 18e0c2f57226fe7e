"""Frames and sessions as semantics §2 says it: one walk over all tuples in order. It shares no code with kernels/."""

import math
from collections.abc import Callable
from typing import NamedTuple

from schemas.windows import MICROSECOND, AggregateFrame, BoundaryFrame, DeltaFrame, Session, ThresholdFrame, Window


class Tuple(NamedTuple):
    """order: of arrival, by which equal times are sorted; value: None for a null."""

    time: int
    order: int
    value: float | None


def frames_of(window: Window, tuples: list[Tuple], aggregate: Callable[[list], float | None] | None = None):
    """Lists of tuples, one a frame, in order. aggregate: of values, where one closes the frame."""
    found, frame = [], []
    for each in sorted(tuples):
        if not counts(window, each):
            continue
        if frame and closes(window, frame, each, aggregate):
            found.append(frame)
            frame = []
        if frame or opens(window, each):
            frame = [*frame, each]
    found += [frame] if frame else []
    return [frame for frame in found if is_long_enough(window, frame)]


def counts(window: Window, each: Tuple) -> bool:
    if not isinstance(window, Session):
        return each.value is not None
    return window.unit is None or (each.value is not None and each.value > 0)


def reach(window: Session, each: Tuple) -> int:
    """Until when a tuple keeps its session open."""
    gap = window.gap if window.unit is None else each.value * window.unit
    return each.time + gap // MICROSECOND


def closes(window: Window, frame: list[Tuple], new: Tuple, aggregate) -> bool:
    if isinstance(window, Session):
        return new.time >= max(reach(window, each) for each in frame)
    if isinstance(window, ThresholdFrame):
        return new.value < window.at_least
    if isinstance(window, DeltaFrame):
        return abs(new.value - frame[0].value) >= window.change
    if isinstance(window, BoundaryFrame):
        one, other = (math.floor((each.value - window.offset) / window.width) for each in (frame[0], new))
        return one != other
    assert isinstance(window, AggregateFrame)
    found = aggregate([each.value for each in frame])
    return found is not None and found >= window.bound


def opens(window: Window, new: Tuple) -> bool:
    return not isinstance(window, ThresholdFrame) or new.value >= window.at_least


def is_long_enough(window: Window, frame: list[Tuple]) -> bool:
    if not isinstance(window, ThresholdFrame):
        return True
    lasted = frame[-1].time - frame[0].time
    return len(frame) >= window.min_count and lasted >= window.min_duration // MICROSECOND
