"""Random frames and sessions over a column `value`, small and close to the boundaries where rules differ."""

import random
from datetime import timedelta

from schemas.windows import AggregateFrame, BoundaryFrame, DeltaFrame, Session, ThresholdFrame
from tests.support.kernels.plain import FUNCTIONS

US = timedelta(microseconds=1)
CLOSING = ("sum", "mean", "count", "max", "min", "range", "std", "last", "first", "product")


def random_frame(rng: random.Random):
    return rng.choice(
        (
            ThresholdFrame("value", rng.randint(0, 8), rng.choice((1, 1, 2, 3)), rng.choice((0, 0, 1, 5)) * US),
            DeltaFrame("value", rng.choice((1, 2, 4, 2.5))),
            BoundaryFrame("value", rng.choice((1, 3, 2.5)), rng.choice((0, 1, -0.5))),
            Session(rng.randint(1, 12) * US),
            Session("value", rng.choice((1, 2, 5, 30)) * US),
            AggregateFrame(rng.choice(CLOSING), "value", rng.randint(1, 20) + 0.25),
        )
    )


def types_of(frame, others: str = "float64") -> dict[str, str]:
    return {"value": "int64" if frame.cutting_types == ("int64",) else others}


def closing(frame):
    """The aggregate by which a frame closes, of its values."""
    if not isinstance(frame, AggregateFrame):
        return None
    return lambda values: FUNCTIONS[frame.function]([(0, value) for value in values])
