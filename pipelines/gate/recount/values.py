"""What an aggregate is counted again from, by stretches of windows (stretches.py), and what comes of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pipelines.gate.recount.stretches import StretchesOfWindows

TOLERANCE = 1e-9
# By this power of two values are made smaller that add up beyond float64: more than events can be counted.
SCALE = 64


class Recounted(NamedTuple):
    """By stretch an aggregate's value, whether it is null, and how far from it a rounded value may be: TOLERANCE times
    the magnitude that the error is relative to, multiplied before that is beyond float64."""

    value: np.ndarray
    null: np.ndarray | bool = False
    tolerance: np.ndarray | float = 0.0


@dataclass(frozen=True)
class Values:
    """A column's numbers by event, 0 where they are null, and the stretches of windows that hold the events; where
    windows count events by shares, the share of each, of which numbers are multiples. Where order counts, by event its
    place by (start, arrival, seq), when it started, and what goes along with its value. parameters: the aggregate's."""

    stretches: StretchesOfWindows
    numbers: np.ndarray
    present: np.ndarray
    parameters: Mapping[str, Any]
    share: np.ndarray | None
    places: np.ndarray
    starts_us: np.ndarray
    others: np.ndarray

    @cached_property
    def counted(self) -> np.ndarray:
        """By stretch how many values are not null."""
        return self.stretches.sums(self.present.astype(np.int64))

    @property
    def none(self) -> np.ndarray:
        return self.counted == 0

    @cached_property
    def shares(self) -> np.ndarray:
        """By stretch the number of values, or the sum of their shares."""
        return self.counted if self.share is None else self.stretches.float_sums(self.share * self.present)

    @property
    def many(self) -> np.ndarray:
        """What a sum is divided by; 1 where there are none."""
        return np.where(self.none, 1, self.shares)

    @property
    def held(self) -> StretchesOfWindows:
        """The stretches of the events that have a value: a null must win nowhere."""
        found = self.stretches
        return replace(found, begins=found.begins[self.present], ends=found.ends[self.present])

    def extreme(self, least: bool) -> Recounted:
        return Recounted(self.held.extremes(self.numbers[self.present], least), self.none)

    def first_event(self, order: np.ndarray) -> np.ndarray:
        """By stretch the number of the first event in an order that has a value; any where none has."""
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        least = self.held.extremes(ranks[self.present], least=True)
        return order[np.minimum(least, len(order) - 1)] if len(order) else np.zeros(0, np.int64)

    def tolerances(self, numbers: np.ndarray) -> np.ndarray:
        """How far a rounded sum of them may be from the sum."""
        return self.float_sums(np.abs(numbers) * TOLERANCE)

    def float_sums(self, numbers: np.ndarray, many: np.ndarray | float = 1.0) -> np.ndarray:
        """Sums by `many`. Also of infinite numbers, which no whole number holds: they make their stretches' sums
        infinite; and of finite ones that add up beyond float64 on the way."""
        found, finite = self.stretches, np.where(np.isfinite(numbers), numbers, 0.0)
        with np.errstate(over="ignore", invalid="ignore"):
            plain = found.float_sums(finite)
            is_right, plain = np.isfinite(plain), plain / many
            if not is_right.all():
                scaled = np.ldexp(found.float_sums(np.ldexp(finite, -SCALE)) / many, SCALE)
                plain = np.where(is_right, plain, scaled)
        up, down = (found.sums((numbers == each).astype(np.int64)) > 0 for each in (np.inf, -np.inf))
        return plain + np.where(up, np.inf, 0.0) + np.where(down, -np.inf, 0.0)
