"""Frames and sessions of tuples by the gate's plain walks (semantics §2), which share no code with kernels/; and random
ones over a column `value`, small and close to the boundaries where rules differ."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from tests.support.kernels.plain import FUNCTIONS
from windrow.pipelines.gate.recount.plain.kinds import of_kind, session
from windrow.pipelines.gate.recount.plain.kinds.frame import Rule, Valued
from windrow.pipelines.gate.recount.plain.kinds.frame import frames_of as plain_frames
from windrow.schemas.windows import AggregateFrame, BoundaryFrame, DeltaFrame, Session, ThresholdFrame, Window

US = timedelta(microseconds=1)
CLOSING = ("sum", "mean", "count", "max", "min", "range", "std", "last", "first", "product")
ROUNDED = ("mean", "std")
"""Whether these reach a whole bound exactly may depend on how they are computed."""


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


def random_frame(rng: random.Random):
    closing = rng.choice(CLOSING)
    bound = rng.randint(1, 20) + 0.25 * (closing in ROUNDED)
    return rng.choice(
        (
            ThresholdFrame("value", rng.randint(0, 8), rng.choice((1, 1, 2, 3)), rng.choice((0, 0, 1, 5)) * US),
            DeltaFrame("value", rng.choice((1, 2, 4, 2.5))),
            BoundaryFrame("value", rng.choice((1, 3, 2.5)), rng.choice((0, 1, -0.5))),
            Session(rng.randint(1, 12) * US),
            Session("value", rng.choice((1, 2, 5, 30)) * US),
            AggregateFrame(closing, "value", bound),
        )
    )


def types_of(frame, others: str = "float64") -> dict[str, str]:
    return {"value": "int64" if frame.cutting_types == ("int64",) else others}


def closing(frame):
    """The aggregate by which a frame closes, of its values."""
    if not isinstance(frame, AggregateFrame):
        return None
    return lambda values: FUNCTIONS[frame.function]([(0, value) for value in values])
