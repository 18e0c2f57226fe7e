"""Counts, sums and extremes of every stretch of windows at once; what an aggregate is counted again from by them.

Windows between two neighbouring ends of events' ranges hold the same events: they are a stretch.

A count or a sum is a running sum over the ends of ranges: what has begun, less what has ended. Running sums of floats
would lose what a small window holds in the digits of all that came before it; so a float is cut into whole numbers of
32 bits each (`_parts`), whose running sums are exact; a stretch's sum is rounded only when its parts are put together.
An extreme has no inverse: a range is covered by two overlapping ranges of a power of two, and each level hands what it
has to the two halves below (`extremes`): O((events + stretches) log stretches).

By its arrays about 400 bytes an event and 80 a value column (reckoned, not measured).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

BITS = 32
LOW = (1 << BITS) - 1
TOLERANCE = 1e-9
# By this power of two values are made smaller that add up beyond float64: more than events can be counted.
SCALE = 64


@dataclass(frozen=True)
class StretchesOfWindows:
    """Ranges of windows of some keys: int64 arrays, one entry per stretch; the last of a key has no window. begins,
    ends: by event the first stretch that holds it, and the first after these; cuts: that with its cut."""

    keys: np.ndarray
    first: np.ndarray
    until: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    cuts: np.ndarray

    @classmethod
    def of(cls, keys: np.ndarray, held_from: np.ndarray, until: np.ndarray, cuts: np.ndarray) -> "StretchesOfWindows":
        """From events' ranges of window numbers, [held_from, until); cuts: a number of each, where one begins too."""
        cut = np.flatnonzero(cuts != held_from)  # few: most events are late for none of their windows
        ends = np.concatenate((held_from, until, cuts[cut]))
        edges, of_keys, first = _coded(np.concatenate((keys, keys, keys[cut])), ends)
        same_key = np.append(of_keys[1:] == of_keys[:-1], False)[: len(first)]
        after = np.where(same_key, np.append(first[1:], 0)[: len(first)], first)
        begins, ends_at = edges[: len(keys)], edges[len(keys) : 2 * len(keys)]
        cuts_at = begins.copy()
        cuts_at[cut] = edges[2 * len(keys) :]
        return cls(of_keys, first, after, begins, ends_at, cuts_at)

    def of_events(self, chosen: np.ndarray) -> "StretchesOfWindows":
        """The same stretches, of these events alone."""
        return replace(self, begins=self.begins[chosen], ends=self.ends[chosen])

    def sums(self, values: np.ndarray, ends: np.ndarray | None = None) -> np.ndarray:
        """int64 sums of int64 values over the events of each stretch; `ends`: where events end instead."""
        steps = np.zeros(len(self.first) + 1, np.int64)
        np.add.at(steps, self.begins, values)
        np.subtract.at(steps, self.ends if ends is None else ends, values)
        return np.cumsum(steps)[:-1]

    def whole_sums(self, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Sums of int64 values as (high, low), high · 2^32 + low: they may be beyond int64."""
        low = self.sums(values & LOW)
        return self.sums(values >> BITS) + (low >> BITS), low & LOW

    def float_sums(self, values: np.ndarray) -> np.ndarray:
        """float64 sums of finite floats, each within a few roundings of the sum of the magnitudes that it is of."""
        if not len(values):
            return np.zeros(len(self.first))
        found = np.zeros(len(self.first))
        for scale, part in reversed(list(_parts(values))):
            found += np.ldexp(self.sums(part).astype(np.float64), scale)
        return found

    def extremes(self, values: np.ndarray, least: bool) -> np.ndarray:
        """The least or greatest value of the events of each stretch; of a stretch without events, any."""
        better = np.minimum if least else np.maximum
        highest, lowest = np.inf, -np.inf
        if values.dtype != np.float64:
            highest, lowest = np.iinfo(values.dtype).max, np.iinfo(values.dtype).min
        lengths = self.ends - self.begins
        levels = np.frexp(lengths.astype(np.float64))[1] - 1
        found = np.full(len(self.first), highest if least else lowest, values.dtype)
        for level in range(int(levels.max(initial=-1)), -1, -1):
            chosen = np.flatnonzero(levels == level)
            better.at(found, self.begins[chosen], values[chosen])
            better.at(found, self.ends[chosen] - (1 << level), values[chosen])
            if level:
                half = 1 << (level - 1)
                found[half:] = better(found[half:], found[:-half].copy())
        return found


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
    many_values: np.ndarray | None = None
    magnitudes: np.ndarray | None = None

    def of_parts(self, numbers: np.ndarray, many_values: np.ndarray, magnitudes: np.ndarray) -> "Values":
        """Each number being a part of the result, of so many values and of their magnitude."""
        held = many_values > 0
        numbers, parts = np.where(held, numbers, 0).astype(numbers.dtype), np.where(held, magnitudes, 0.0)
        return replace(self, numbers=numbers, present=held, many_values=many_values, magnitudes=parts)

    @cached_property
    def counted(self) -> np.ndarray:
        """By stretch how many values are not null."""
        return self.stretches.sums(self.present.astype(np.int64) if self.many_values is None else self.many_values)

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
        return self.stretches.of_events(self.present)

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
        return self.float_sums((np.abs(numbers) if self.magnitudes is None else self.magnitudes) * TOLERANCE)

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


def _coded(keys: np.ndarray, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(codes, keys, numbers) of the pairs that there are, in their order, each once; codes: which of these each is."""
    (first, last), (low, high) = (
        (int(each.min()), int(each.max())) if len(each) else (0, 0) for each in (keys, numbers)
    )
    many = high - low + 1
    if (last - first + 1) * many < 1 << 63:
        found, codes = _ranked((keys - first) * many + (numbers - low))
        return codes, found // many + first, found % many + low
    # Numbers too far apart for one word: their ranks aren't.
    ranked, places = np.unique(numbers, return_inverse=True)
    codes, of_keys, ranks = _coded(keys, places)
    return codes, of_keys, ranked[ranks]


def _ranked(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(each number once, in order; which of these each is), of numbers from 0 on. O(numbers) where they lie close: to
    sort them was a third of what final values cost."""
    most = int(numbers.max(initial=-1))
    if most >= 2 * len(numbers):
        return np.unique(numbers, return_inverse=True)
    is_there = np.zeros(most + 1, bool)
    is_there[numbers] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[numbers]


def _parts(values: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """(power of two, int64 array) from the greatest part down: the values are the sum of the arrays, each times its
    power. Exact: as many parts as the digits of the values reach down. The powers are multiples of BITS, so that a
    value's parts, and with them a stretch's sum, depend on no other value."""
    exponent = int(np.frexp(np.abs(values).max(initial=0.0))[1])
    rest, scale = values, -(-exponent // BITS) * BITS
    while rest.any():
        scale -= BITS
        part = np.trunc(np.ldexp(rest, -scale))
        yield scale, part.astype(np.int64)
        rest = rest - np.ldexp(part, scale)
