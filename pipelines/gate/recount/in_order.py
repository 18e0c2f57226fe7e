"""Aggregates that take a window's events by (start, arrival, seq), in plain NumPy, of all stretches of windows.

Of the longest run of strictly increasing values it is the first of equals:

    values     3 5 2 4 6 1        by place how long its run is so far: 1 2 1 2 3 1
    the run at the beginning of a window is cut; behind it the greatest tells

Mostly a stretch holds all of its key's events between its first and its last. The others are walked one by one.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from windrow.pipelines.gate.recount.stretches import TOLERANCE, Recounted, StretchesOfWindows, Values

PLACE, STARTED_US = "place_in_order", "started_us"
"""Columns of events: which one it is by (start, arrival, seq), and its start."""
SECOND_US = 1e6


def at_an_end(values: Values, sign: int) -> Recounted:
    """The value of the first or the last event that has one, or with `nulls` of the first or the last event."""
    order = np.argsort(sign * values.places)
    if not values.parameters.get("nulls"):
        return Recounted(values.numbers[values.first_event(order)], values.none)
    chosen = replace(values, present=np.ones(len(values.present), bool)).first_event(order)
    return Recounted(values.numbers[chosen], ~values.present[chosen])


def along(values: Values, sign: int) -> Recounted:
    """What goes along with the least or the greatest value, of several the first."""
    _, ranks = np.unique(values.numbers, return_inverse=True)
    order = np.lexsort((values.places, sign * ranks))
    return Recounted(values.others[values.first_event(order)], values.none)


def rate(values: Values) -> Recounted:
    """From the first value to the last, per second."""
    begin, end = (values.first_event(np.argsort(sign * values.places)) for sign in (1, -1))
    passed_us = values.starts_us[end] - values.starts_us[begin]
    seconds = np.where(passed_us == 0, 1, passed_us) / SECOND_US
    low, high = (values.numbers[each].astype(np.float64) for each in (begin, end))
    with np.errstate(over="ignore", invalid="ignore"):
        tolerance = (np.abs(low) * TOLERANCE + np.abs(high) * TOLERANCE) / seconds
        return Recounted((high - low) / seconds, values.none | (passed_us == 0), tolerance)


def longest_run(values: Values, edge: int | None = None) -> Recounted:
    """How many values it has, or when its first or its last event started."""
    length, *edges = _longest(values)
    found = length if edge is None else np.append(values.starts_us, 0)[edges[edge]]
    return Recounted(found, length == 0)


RECOUNTED: dict[str, Callable[[Values], Recounted]] = {
    "first": partial(at_an_end, sign=1),
    "last": partial(at_an_end, sign=-1),
    "argmin": partial(along, sign=1),
    "argmax": partial(along, sign=-1),
    "rate": rate,
    "longest_run": longest_run,
    "longest_run_start": partial(longest_run, edge=0),
    "longest_run_end": partial(longest_run, edge=1),
}


def _longest(values: Values) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By stretch how long the longest run is, 0 without any, and the numbers of its first and its last event.
    O(events log events), and all events for each stretch that lacks some between two of its own."""
    found = values.stretches
    [held] = np.nonzero(values.present & (found.begins < found.ends))
    order = held[np.lexsort((values.places[held], found.keys[found.begins[held]]))]
    numbers, ordered = values.numbers[order], found.of_events(order)
    count = ordered.sums(np.ones(len(order), np.int64))
    low, high = (ordered.extremes(np.arange(len(order)), least) for least in (True, False))
    length, first, last = np.zeros((3, len(found.first)), np.int64)
    is_whole = high - low + 1 == count
    [whole] = np.nonzero((count > 0) & is_whole)
    first[whole], last[whole] = _of_whole(numbers, ordered, whole, low[whole], high[whole])
    length[whole] = last[whole] - first[whole] + 1
    for stretch in np.flatnonzero((count > 0) & ~is_whole):
        [inside] = np.nonzero((ordered.begins <= stretch) & (stretch < ordered.ends))
        began = _began(numbers[inside])
        lengths = np.arange(len(inside)) - began + 1
        end = int(np.argmax(lengths))
        first[stretch], last[stretch] = inside[began[end]], inside[end]
        length[stretch] = lengths[end]
    numbered = np.append(order, 0)
    return length, numbered[first], numbered[last]


def _of_whole(
    numbers: np.ndarray, ordered: StretchesOfWindows, whole: np.ndarray, low: np.ndarray, high: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The first and the last place of the longest run in stretches that hold all from `low` to `high`."""
    began, many = _began(numbers), len(numbers)
    # A run is not cut where a stretch holds its first event, too.
    begins = np.maximum(ordered.begins, ordered.begins[began])
    ends = np.minimum(ordered.ends, ordered.ends[began])
    both = begins < ends
    # Of equal lengths the first place is the greatest code.
    codes = (np.arange(many) - began + 1) * (many + 1) + many - np.arange(many)
    behind = replace(ordered, begins=begins[both], ends=ends[both]).extremes(codes[both], least=False)[whole]
    starts = np.unique(began)
    cut_end = np.minimum(np.append(starts, many)[np.searchsorted(starts, low, "right")] - 1, high)
    last = np.where(behind // (many + 1) > cut_end - low + 1, many - behind % (many + 1), cut_end)
    return np.maximum(began[last], low), last


def _began(numbers: np.ndarray) -> np.ndarray:
    """By place where its run of increasing values began."""
    rises = np.append(False, numbers[1:] > numbers[:-1])[: len(numbers)]
    return np.maximum.accumulate(np.where(rises, 0, np.arange(len(numbers))))
