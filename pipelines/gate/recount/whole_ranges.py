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
    return pa.concat_tables(parts).sort_by("window").drop_columns(["window"])


def _rising(first: np.ndarray, behind: np.ndarray) -> Iterator[np.ndarray]:
    """Windows in parts in which neither place falls: one part, also of no window, or few, of all kinds but delta."""
    left, is_first = np.lexsort((behind, first)), True
    while len(left) or is_first:
        rises = behind[left] == np.maximum.accumulate(behind[left])
        yield left[rises]
        left, is_first = left[~rises], False


def _with_numbers(
    query: Query, events: Mapping[str, np.ndarray], first: np.ndarray, behind: np.ndarray, chosen: np.ndarray
) -> pa.Table:
    """With the number of each chosen window; an event is in a range of them."""
    low, high = (int(first[chosen[0]]), int(behind[chosen[-1]])) if len(chosen) else (0, 0)
    places = np.arange(low, high)
    held_from = np.searchsorted(behind[chosen], places, "right")
    until = np.searchsorted(first[chosen], places, "right")
    held = held_from < until
    of_events = {name: column[low:high][held] for name, column in events.items()}
    nothing = np.zeros(int(held.sum()), np.int64)
    stretches = StretchesOfWindows.of(nothing, held_from[held], until[held], held_from[held])
    at = np.searchsorted(stretches.first, np.arange(len(chosen)), "right") - 1
    columns = {
        name: aggregates.as_arrow(column[at]) for name, column in aggregates.columns(query, stretches, of_events)
    }
    return pa.table({"window": pa.array(chosen), **columns})
