"""What an aggregate is counted again from, and what comes of it."""

from typing import NamedTuple

import numpy as np

TOLERANCE = 1e-9


class Values(NamedTuple):
    """A column's numbers by event, 0 where they are null; and by stretch how many are not null, and the sum of their
    shares, of windows that count events by shares: numbers then are shares of values. Where order counts, by event its
    place by (start, arrival, seq), when it started, and what goes along with its value."""

    numbers: np.ndarray
    present: np.ndarray
    counted: np.ndarray
    shares: np.ndarray | None = None
    places: np.ndarray = np.zeros(0, np.int64)
    starts_us: np.ndarray = np.zeros(0, np.int64)
    others: np.ndarray = np.zeros(0, np.int64)


class Recounted(NamedTuple):
    """By stretch an aggregate's value, whether it is null, and how far from it a rounded value may be: TOLERANCE times
    the magnitude that the error is relative to, multiplied before that is beyond float64."""

    value: np.ndarray
    null: np.ndarray
    tolerance: np.ndarray | None = None
