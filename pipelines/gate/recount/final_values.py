"""What windows hold that can't change any more: table `final_values`, one row per stretch of them (stretches.py).

(key_number, first, until, recounted_events, recounted_late_events, newest_arrival_us, recounted_i, tolerance_i)
"""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from pipelines.gate.recount import aggregates
from pipelines.gate.recount.query_day import QueryDay
from pipelines.gate.recount.stretches import StretchesOfWindows

# Keys are taken together up to so many events: about 400 MB of arrays, and more for values. No key is cut.
EVENTS_AT_ONCE = 1_000_000


def add_final_values(recount: QueryDay) -> None:
    """Make `final_values` of the events in `spans`: O(events log events), whatever the windows of an event are."""
    connection = recount.connection
    values = aggregates.values_of(recount.query, aggregates.types_of(recount, "candidates"))
    made = None
    for low, high in _keys_at_once(recount):
        events = connection.execute(f"""
            SELECT key_number, held_from, until, on_time_from, arrival_us {values} FROM spans
            WHERE key_number BETWEEN {low} AND {high}""").fetchnumpy()
        connection.register("some_final_values", _final_values(recount, events))
        verb = "INSERT INTO final_values" if made else "CREATE OR REPLACE TEMP TABLE final_values AS"
        made = connection.execute(f"{verb} SELECT * FROM some_final_values")
        connection.unregister("some_final_values")


def _keys_at_once(recount: QueryDay) -> Iterator[tuple[int, int]]:
    """First and last key number of each part; one part without events, for the table's columns."""
    rows = recount.rows(f"""
        SELECT min(key_number), max(key_number) FROM (
            SELECT key_number, (sum(count(*)) OVER (ORDER BY key_number) - 1) // {EVENTS_AT_ONCE} AS part
            FROM spans GROUP BY key_number)
        GROUP BY part ORDER BY part""")
    yield from rows or [(0, -1)]


def _final_values(recount: QueryDay, events: dict[str, np.ndarray]) -> pa.Table:
    taken = ("key_number", "held_from", "until", "on_time_from", "arrival_us")
    keys, held_from, until, on_time_from, arrivals_us = (np.ma.getdata(events[name]).astype(np.int64) for name in taken)
    found = StretchesOfWindows.of(keys, held_from, until, on_time_from)
    ones = np.ones(len(keys), np.int64)
    columns = {
        "key_number": found.keys,
        "first": found.first,
        "until": found.until,
        "recounted_events": found.sums(ones),
        "recounted_late_events": found.sums(ones, found.cuts),
        "newest_arrival_us": found.extremes(arrivals_us, least=False),
        **dict(aggregates.columns(recount.query, found, events)),
    }
    held = columns["recounted_events"] > 0
    return pa.table({name: _array(column[held]) for name, column in columns.items()})


def _array(column: np.ndarray) -> pa.Array:
    return pa.array(np.ma.getdata(column), mask=np.ma.getmaskarray(column))
