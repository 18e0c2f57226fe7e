"""Aggregates that take a window's events by (start, arrival, seq), in plain NumPy, of all stretches of windows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from pipelines.gate.recount import runs_of_values
from pipelines.gate.recount.stretches import StretchesOfWindows
from pipelines.gate.recount.values import TOLERANCE, Recounted, Values
from schemas.query import Aggregate

PLACE, STARTED_US = "place_in_order", "started_us"
"""Columns of events: which one it is by (start, arrival, seq), and its start."""
SECOND_US = 1e6


def with_order(
    found: StretchesOfWindows, values: Values, events: Mapping[str, np.ndarray], others: Sequence[str]
) -> Values:
    """With what order needs; others: the second column, if there is one, without which an event doesn't count."""
    places, starts_us = (np.ma.getdata(events[name]) for name in (PLACE, STARTED_US))
    along = events[others[0]] if others else starts_us
    present = values.present & ~np.ma.getmaskarray(along)
    counted = found.sums(present.astype(np.int64))
    along = np.where(present, np.ma.getdata(along), 0)
    return values._replace(present=present, counted=counted, places=places, starts_us=starts_us, others=along)


def first(found: StretchesOfWindows, values: Values, asked: Aggregate) -> Recounted:
    """The value of the first event that has one, or with `nulls` of the first event."""
    return _at_an_end(found, values, asked, values.places)


def last(found: StretchesOfWindows, values: Values, asked: Aggregate) -> Recounted:
    """The value of the last event that has one, or with `nulls` of the last event."""
    return _at_an_end(found, values, asked, -values.places)


def where_least(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """What goes along with the least value, of several the first."""
    return _along(found, values, 1)


def where_greatest(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """What goes along with the greatest value, of several the first."""
    return _along(found, values, -1)


def rate(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """From the first value to the last, per second."""
    begin, end = (_first_event(found, values, sign * values.places) for sign in (1, -1))
    passed_us = values.starts_us[end] - values.starts_us[begin]
    seconds = np.where(passed_us == 0, 1, passed_us) / SECOND_US
    low, high = (values.numbers[each].astype(np.float64) for each in (begin, end))
    with np.errstate(over="ignore", invalid="ignore"):
        tolerance = (np.abs(low) * TOLERANCE + np.abs(high) * TOLERANCE) / seconds
        return Recounted((high - low) / seconds, (values.counted == 0) | (passed_us == 0), tolerance)


def _at_an_end(found: StretchesOfWindows, values: Values, asked: Aggregate, codes: np.ndarray) -> Recounted:
    if not dict(asked.parameters).get("nulls"):
        return Recounted(values.numbers[_first_event(found, values, codes)], values.counted == 0)
    every = values._replace(present=np.ones(len(values.present), bool))
    chosen = _first_event(found, every, codes)
    return Recounted(values.numbers[chosen], ~values.present[chosen])


def _along(found: StretchesOfWindows, values: Values, sign: int) -> Recounted:
    _, ranks = np.unique(values.numbers, return_inverse=True)
    order = np.lexsort((values.places, sign * ranks))
    codes = np.empty(len(order), np.int64)
    codes[order] = np.arange(len(order))
    return Recounted(values.others[_first_event(found, values, codes)], values.counted == 0)


def _first_event(found: StretchesOfWindows, values: Values, codes: np.ndarray) -> np.ndarray:
    """By stretch the number of the event with the least code among those that have a value, of codes that differ; any
    where there are none."""
    order = np.argsort(codes)
    ranks = np.empty(len(codes), np.int64)
    ranks[order] = np.arange(len(codes))
    chosen = replace(found, begins=found.begins[values.present], ends=found.ends[values.present])
    least = chosen.extremes(ranks[values.present], least=True)
    return order[np.minimum(least, len(order) - 1)] if len(order) else np.zeros(0, np.int64)


RECOUNTED: dict[str, Callable[[StretchesOfWindows, Values, Aggregate], Recounted]] = {
    "first": first,
    "last": last,
    "argmin": where_least,
    "argmax": where_greatest,
    "rate": rate,
    **runs_of_values.RECOUNTED,
}
