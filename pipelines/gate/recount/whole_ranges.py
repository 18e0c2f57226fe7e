"""Aggregates over runs of events that lie in order, of many windows at once."""

from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from pipelines.gate.recount import aggregates
from pipelines.gate.recount.stretches import StretchesOfWindows
from schemas.query import Query


def values_of_ranges(query: Query, events: Mapping[str, np.ndarray], first: np.ndarray, behind: np.ndarray) -> pa.Table:
    """For each window, of the events from a place to before another: recounted_i and tolerance_i (aggregates.py).
    events: arrays by name, an entry an event. O(events log events) where neither places of windows fall."""
    parts = [_with_numbers(query, events, first, behind, chosen) for chosen in _rising(first, behind)]
    if not parts:
        return _of_no_window(query, events)
    found = pa.concat_tables(parts)
    return found.sort_by("window").drop_columns(["window"])


def _rising(first: np.ndarray, behind: np.ndarray) -> Iterator[np.ndarray]:
    """Windows in parts in which neither place falls: one part, or few, of all kinds but delta."""
    left = np.lexsort((behind, first))
    while len(left):
        rises = behind[left] == np.maximum.accumulate(behind[left])
        yield left[rises]
        left = left[~rises]


def _with_numbers(
    query: Query, events: Mapping[str, np.ndarray], first: np.ndarray, behind: np.ndarray, chosen: np.ndarray
) -> pa.Table:
    """With the number of each chosen window; an event is in a range of them."""
    low, high = int(first[chosen].min()), int(behind[chosen].max())
    places = np.arange(low, high)
    held_from = np.searchsorted(behind[chosen], places, "right")
    until = np.searchsorted(first[chosen], places, "right")
    held = held_from < until
    of_events = {name: column[low:high][held] for name, column in events.items()}
    nothing = np.zeros(int(held.sum()), np.int64)
    stretches = StretchesOfWindows.of(nothing, held_from[held], until[held], held_from[held])
    at = np.searchsorted(stretches.first, np.arange(len(chosen)), "right") - 1
    columns = {name: _array(column[at]) for name, column in aggregates.columns(query, stretches, of_events)}
    return pa.table({"window": pa.array(chosen), **columns})


def _of_no_window(query: Query, events: Mapping[str, np.ndarray]) -> pa.Table:
    nothing = np.zeros(0, np.int64)
    stretches = StretchesOfWindows.of(nothing, nothing, nothing, nothing)
    of_events = {name: column[:0] for name, column in events.items()}
    return pa.table({name: _array(column) for name, column in aggregates.columns(query, stretches, of_events)})


def _array(column: np.ndarray) -> pa.Array:
    return pa.array(np.ma.getdata(column), mask=np.ma.getmaskarray(column))
