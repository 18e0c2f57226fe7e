"""The longest run of strictly increasing values of every stretch of windows, in plain NumPy, the first of equals.

    values     3 5 2 4 6 1        by place how long its run is so far: 1 2 1 2 3 1
    the run at the beginning of a window is cut; behind it the greatest tells

Mostly a stretch holds all of its key's events between its first and its last. The others are walked one by one.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from pipelines.gate.recount.stretches import StretchesOfWindows
from pipelines.gate.recount.values import Recounted, Values
from schemas.query import Aggregate


class Runs(NamedTuple):
    """By stretch how long the longest run is, 0 without any, and the numbers of its first and its last event."""

    length: np.ndarray
    first: np.ndarray
    last: np.ndarray


def longest_run(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """How many values it has."""
    length = _longest(found, values).length
    return Recounted(length, length == 0)


def longest_run_start(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """When its first event started."""
    runs = _longest(found, values)
    return Recounted(_at(values.starts_us, runs.first), runs.length == 0)


def longest_run_end(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """When its last event started."""
    runs = _longest(found, values)
    return Recounted(_at(values.starts_us, runs.last), runs.length == 0)


def _at(times_us: np.ndarray, numbers: np.ndarray) -> np.ndarray:
    return times_us[numbers] if len(times_us) else np.zeros(len(numbers), np.int64)


def _longest(found: StretchesOfWindows, values: Values) -> Runs:
    """O(events log events), and all events for each stretch that lacks some between two of its own."""
    [held] = np.nonzero(values.present & (found.begins < found.ends))
    keys = found.keys[found.begins[held]]
    order = held[np.lexsort((values.places[held], keys))]
    numbers, begins, ends = values.numbers[order], found.begins[order], found.ends[order]
    sorted_, places = replace(found, begins=begins, ends=ends), np.arange(len(order))
    count = sorted_.sums(np.ones(len(order), np.int64))
    low, high = (sorted_.extremes(places, least) for least in (True, False))
    runs = Runs(*(np.zeros(len(found.first), np.int64) for _ in range(3)))
    [whole] = np.nonzero((count > 0) & (high - low + 1 == count))
    _set(runs, whole, order, *_of_ranges(numbers, low[whole], high[whole]))
    for stretch in np.flatnonzero((count > 0) & (high - low + 1 != count)):
        [inside] = np.nonzero((begins <= stretch) & (stretch < ends))
        ends_of_all = np.array([0]), np.array([len(inside) - 1])
        _set(runs, np.array([stretch]), order[inside], *_of_ranges(numbers[inside], *ends_of_all))
    return runs


def _set(runs: Runs, stretches: np.ndarray, order: np.ndarray, first: np.ndarray, last: np.ndarray) -> None:
    runs.length[stretches] = last - first + 1
    runs.first[stretches], runs.last[stretches] = order[first], order[last]


def _of_ranges(numbers: np.ndarray, low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last place of the longest run between each two places, both included."""
    places, many = np.arange(len(numbers)), len(numbers)
    begins_run = np.append(True, numbers[1:] <= numbers[:-1])[:many]
    so_far = places - np.maximum.accumulate(np.where(begins_run, places, 0)) + 1
    ends_run = np.append(begins_run[1:], True)[:many]
    run_end = np.minimum.accumulate(np.where(ends_run, places, many)[::-1])[::-1]
    cut = np.minimum(run_end[low], high) - low + 1
    # Of equal lengths the first place is the greatest code.
    behind = _greatest(so_far * (many + 1) + many - places, low + cut, high)
    last = np.where(behind // (many + 1) > cut, many - behind % (many + 1), low + cut - 1)
    return last - np.maximum(behind // (many + 1), cut) + 1, last


def _greatest(codes: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The greatest code between each two places, both included; 0 where there is none. O(codes log codes)."""
    levels = np.frexp(np.maximum(high - low + 1, 0).astype(np.float64))[1] - 1
    found, of_level = np.zeros(len(low), np.int64), codes
    for level in range(int(levels.max(initial=-1)) + 1):
        if level:
            half = 1 << (level - 1)
            of_level = np.maximum(of_level[:-half], of_level[half:])
        [asked] = np.nonzero(levels == level)
        found[asked] = np.maximum(of_level[low[asked]], of_level[high[asked] - (1 << level) + 1])
    return found


RECOUNTED: dict[str, Callable[[StretchesOfWindows, Values, Aggregate], Recounted]] = {
    "longest_run": longest_run,
    "longest_run_start": longest_run_start,
    "longest_run_end": longest_run_end,
}
