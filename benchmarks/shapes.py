"""What the shape of a measured line is, over all of its points: for the checks of the figures' pages."""

from collections.abc import Sequence

import numpy as np

LOSS = 0.25
"""So much of a value may get lost from one point to a later one before a line counts as going the other way: machines
are shared."""


def rises(values: Sequence[float]) -> bool:
    """It ends higher than it begins, and no point lies far below an earlier one."""
    highest = np.maximum.accumulate(values)
    return bool(values[-1] > values[0] and np.all(np.asarray(values) >= (1 - LOSS) * highest))


def falls(values: Sequence[float]) -> bool:
    """The other way round."""
    return rises([1 / value for value in values])


def spread(values: Sequence[float]) -> float:
    """How many times the least the greatest is."""
    return max(values) / min(values)


def follows_logarithm(places: Sequence[float], values: Sequence[float]) -> float:
    """The correlation of values with the logarithm of 1 + place: 1 where they are a + b log(1 + place), b > 0."""
    return float(np.corrcoef(np.log1p(places), values)[0, 1])
