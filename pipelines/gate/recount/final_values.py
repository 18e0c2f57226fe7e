"""What windows hold that can't change any more: table `final_values`, one row per stretch of them (stretches.py).

(key_number, first, until, recounted_events, recounted_late_events, newest_arrival_us, recounted_i, tolerance_i); and of
windows that are runs of events which lie in order.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.pipelines.gate.recount import aggregates, kept
from windrow.pipelines.gate.recount.query_days import Recount
from windrow.pipelines.gate.recount.stretches import StretchesOfWindows
from windrow.schemas.query import Query

# So many events at once: about 400 MB of arrays, and more for values. A key that has more is cut between windows: with
# a part go the events that reach into it, of which a long window may have as many again.
EVENTS_AT_ONCE = 1_000_000
RANGE = ("held_from", "until", "on_time_from")
EVERY_NUMBER = (-(1 << 62), 1 << 62)


class Part(NamedTuple):
    """Keys from the first to the last, and of their windows those with numbers from `low` to before `high`."""

    first_key: int
    last_key: int
    low: int = EVERY_NUMBER[0]
    high: int = EVERY_NUMBER[1]


def add_final_values(recount: Recount) -> None:
    """Make `final_values` of the events in `spans`: O(events log events), whatever the windows of an event are."""
    values = aggregates.values_of(recount, "candidates") + kept.columns_of(recount, recount.query)
    for part in _parts(recount):
        low, high = part.low, part.high
        within = ", ".join(f"greatest({low}, least({high}, {name})) AS {name}" for name in RANGE)
        events = recount.connection.execute(f"""
            SELECT key_number, {within}, arrival_us {values} FROM spans
            WHERE key_number BETWEEN {part.first_key} AND {part.last_key} AND held_from < {high} AND until > {low}
            """).fetchnumpy()
        recount.add_rows("final_values", _final_values(recount, events))


def key_parts(recount: Recount, entries: str) -> list[tuple[int, int, int]]:
    """First and last keys of parts with about EVENTS_AT_ONCE entries, of a key that has more that key alone; and how
    many entries. One without any where there are none, for a table's columns. entries: SQL, with key_number."""
    rows = recount.rows(f"""
        SELECT min(key_number), max(key_number), sum(entries) FROM (
            SELECT key_number, count(*) AS entries,
                   (sum(count(*)) OVER (ORDER BY key_number) - 1) // {EVENTS_AT_ONCE} AS part
            FROM ({entries}) GROUP BY key_number)
        GROUP BY part, entries > {EVENTS_AT_ONCE} ORDER BY 1""")
    return [(first, last, many) for first, last, many in rows] or [(0, -1, 0)]


def _parts(recount: Recount) -> Iterator[Part]:
    for first, last, events in key_parts(recount, "FROM candidates"):
        yield from _cut(recount, first) if first == last and events > EVENTS_AT_ONCE else [Part(first, last)]


def _cut(recount: Recount, key: int) -> Iterator[Part]:
    """Parts of a key into each of which as many events begin."""
    begins = recount.rows(f"""
        SELECT DISTINCT held_from FROM (
            SELECT held_from, row_number() OVER (ORDER BY held_from) AS place FROM spans WHERE key_number = {key})
        WHERE place % {EVENTS_AT_ONCE} = 0 ORDER BY held_from""")
    edges = (EVERY_NUMBER[0], *(number for (number,) in begins), EVERY_NUMBER[1])
    return (Part(key, key, low, high) for low, high in pairwise(edges))


def _final_values(recount: Recount, events: dict[str, np.ndarray]) -> pa.Table:
    taken = ("key_number", *RANGE, "arrival_us")
    keys, held_from, until, on_time_from, arrivals_us = (np.ma.getdata(events[name]).astype(np.int64) for name in taken)
    found = StretchesOfWindows.of(keys, held_from, until, on_time_from)
    counted = kept.counts(events, len(keys))
    columns = {
        "key_number": found.keys,
        "first": found.first,
        "until": found.until,
        "recounted_events": found.sums(counted),
        "recounted_late_events": found.sums(counted, found.cuts),
        "newest_arrival_us": found.extremes(arrivals_us, least=False),
        **dict(aggregates.columns(recount.query, found, events)),
    }
    held = columns["recounted_events"] > 0
    return pa.table({name: aggregates.as_arrow(column[held]) for name, column in columns.items()})


def values_of_ranges(query: Query, events: Mapping[str, np.ndarray], first: np.ndarray, behind: np.ndarray) -> pa.Table:
    """For each window, of the events from a place to before another: recounted_i and tolerance_i (aggregates.py).
    events: arrays by name, an entry an event. O(events log events) where neither places of windows fall."""
    # Windows in parts in which neither place falls: one part, also of no window, or few, of all kinds but delta.
    parts: list[pa.Table] = []
    left = np.lexsort((behind, first))
    while len(left) or not parts:
        rises = behind[left] == np.maximum.accumulate(behind[left])
        parts.append(_with_numbers(query, events, first, behind, left[rises]))
        left = left[~rises]
    return pa.concat_tables(parts).sort_by("window").drop_columns(["window"])


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
    numbers, one_key = np.arange(len(chosen)), np.zeros(len(chosen), np.int64)
    # Each window is a stretch.
    windows = StretchesOfWindows(one_key, numbers, numbers + 1, held_from[held], until[held], held_from[held])
    found = {name: aggregates.as_arrow(column) for name, column in aggregates.columns(query, windows, of_events)}
    return pa.table({"window": pa.array(chosen), **found})
