"""Frames and sessions of tuples by the gate's plain walks (semantics §2). They share no code with kernels/."""

from collections.abc import Callable
from typing import NamedTuple

from pipelines.gate.recount.plain.kinds import of_kind, session
from pipelines.gate.recount.plain.kinds.frame import Rule, Valued
from pipelines.gate.recount.plain.kinds.frame import frames_of as plain_frames
from schemas.windows import AggregateFrame, Session, Window


class Tuple(NamedTuple):
    """order: of arrival, by which equal times are sorted; value: None for a null."""

    time: int
    order: int
    value: float | None

    @property
    def start(self) -> int:
        """As events call it."""
        return self.time


def frames_of(window: Window, tuples: list[Tuple], aggregate: Callable[[list], float | None] | None = None):
    """Lists of tuples, one a frame, in order. aggregate: of values, where one closes the frame."""
    ordered = sorted(tuples)
    if isinstance(window, Session):
        return session.runs_of(ordered, lambda each: session.gap_of(window, each.value))
    valued = [Valued(each.time, place, each.value) for place, each in enumerate(ordered) if each.value is not None]
    return [[ordered[each.place] for each in frame] for frame in plain_frames(_rule(window, aggregate), valued)]


def _rule(window: Window, aggregate: Callable[[list], float | None] | None) -> Rule:
    given = (aggregate,) if isinstance(window, AggregateFrame) else ()
    return of_kind(window).rule(window, *given)
