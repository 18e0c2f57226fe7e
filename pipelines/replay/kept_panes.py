"""States of panes as rows: what arrived on a day, combined by key and pane, so that later runs need not read it again.

    silver of a day      a 10:01 3 · a 10:04 4 · b 10:12 4
    its panes            a 10:00 (2 events, sum 7) · b 10:10 (1 event, sum 4)

They follow from that day's silver alone. A run puts those of many days in front of the events that it reads.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.kernels.api import EventColumns
from windrow.kernels.bounds import Extent
from windrow.kernels.replay.pane_states import answers_of, pane_starts, states_of_groups
from windrow.kernels.replay.types import PaneStates
from windrow.pipelines.replay.event_arrays import Groups, group, result_arrays, sequence_of, value_arrays
from windrow.pipelines.replay.expressions import counted_rows
from windrow.pipelines.replay.pane_plan import PaneDays
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.rows.arrays import TIME, stored, times
from windrow.pipelines.tables.query_tables import plan_aggregates
from windrow.schemas.errors import BadInput
from windrow.schemas.side_tables import PANE_EVENTS, PANE_STATE

WORD = np.dtype("<i8")
DAY_COLUMN = "arrival_date"
# Of rows that stand before all events: their arrivals are their order.
FIRST_ARRIVAL_US = -(1 << 60)


class PaneRows(NamedTuple):
    """rows: key columns, start, pane_state; from_us: from which tick on events come."""

    rows: pa.Table
    from_us: int


def split_panes(rows: pa.Table, key: Sequence[str], panes: PaneDays) -> tuple[pa.Table, PaneRows]:
    """Events, and panes of earlier days."""
    is_pane = pc.is_valid(rows[PANE_STATE])
    of_panes = rows.filter(is_pane).select([*key, "start", PANE_STATE])
    return rows.filter(pc.invert(is_pane)).drop_columns([PANE_STATE]), PaneRows(of_panes, panes.from_us)


def panes_of(events: pa.Table, served: ServedQuery) -> pa.Table | None:
    """A row for each key, arrival day and pane of some events: key columns, arrival_date, start, pane_events,
    pane_state, and the aggregates of its events; None where one has no right answer. O(events · log events)."""
    query, kind = served.query, served.kind
    aggregates = plan_aggregates(query, {field.name: field.type for field in events.schema})
    kept = events.filter(counted_rows(events, query))
    groups = group(_in_their_order(kept, query.key), (*query.key, DAY_COLUMN))
    start_us = stored(kept["start"])[groups.order]
    extent = Extent(int(start_us.min()), int(start_us.max())) if len(start_us) else Extent(0, -1)
    window = kind.make(kind.spec(query.window, start_us if len(start_us) else None), extent)
    panes_us, is_held = pane_starts(window, start_us)
    place = np.lexsort((panes_us, groups.number))
    place = place[is_held[place]]
    number, panes_us = groups.number[place], panes_us[place]
    begins = np.flatnonzero(np.append(True, (np.diff(number) != 0) | (np.diff(panes_us) != 0))[: len(place)])
    words, valid, _ = value_arrays(aggregates, kept, groups.order[place])
    firsts, starts_us = np.append(begins, len(place)), start_us[place]
    states = states_of_groups(EventColumns(firsts, starts_us, starts_us, words, valid), aggregates.plan)
    found = answers_of(states, aggregates.plan)
    if found is None:
        return None
    keys = {name: groups.keys[name].take(number[begins]) for name in (*query.key, DAY_COLUMN)}
    of_panes = {"start": times(panes_us[begins]), PANE_EVENTS: states[:, 0], PANE_STATE: _packed(states)}
    return pa.table({**keys, **of_panes, **result_arrays(aggregates, {}, *found)})


def _in_their_order(events: pa.Table, key: tuple[str, ...]) -> pa.Table:
    """Keys and days of events in the order in which they come: states of panes depend on no other."""
    order, days = pa.array(np.arange(len(events))), events["arrival"].cast(pa.date32(), safe=False)
    keys = {name: events[name] for name in key}
    return pa.table({**keys, DAY_COLUMN: days, "arrival": order.cast(TIME), "seq": order})


def _packed(states: np.ndarray) -> pa.Array:
    """A row of bytes for each state."""
    flat = pa.py_buffer(np.ascontiguousarray(states.astype(WORD, copy=False)).tobytes())
    fixed = pa.Array.from_buffers(pa.binary(states.shape[1] * WORD.itemsize), len(states), [None, flat])
    return fixed.cast(pa.large_binary())


def _unpacked(rows: pa.ChunkedArray) -> np.ndarray:
    """int64[rows, words]. BadInput where some have another length than others."""
    if not len(rows):
        return np.zeros((0, 0), np.int64)
    lengths = pc.unique(pc.binary_length(rows)).to_pylist()
    if len(lengths) > 1 or not lengths[0] or lengths[0] % WORD.itemsize:
        raise BadInput(f"states of panes are of {lengths} bytes: their table is damaged; remove it, and run again")
    words, fixed = lengths[0] // WORD.itemsize, pa.concat_arrays(rows.cast(pa.binary(lengths[0])).chunks)
    flat = np.frombuffer(fixed.buffers()[1], WORD)
    return flat[fixed.offset * words :][: len(fixed) * words].reshape(-1, words).astype(np.int64, copy=False)


def group_with_panes(events: pa.Table, panes: PaneRows, key: tuple[str, ...]) -> tuple[Groups, PaneStates]:
    """Groups of the events of all keys that are among the events or the panes, and the panes of each key. O(rows · log
    rows)."""
    rows = panes.rows.sort_by("start")
    arrival = pa.array(FIRST_ARRIVAL_US + np.arange(len(rows))).cast(TIME)
    kept = pa.table({**{name: rows[name] for name in key}, "arrival": arrival})
    ordered = events.select([*key, "arrival", *sequence_of(events)])
    groups = group(pa.concat_tables([kept, ordered], promote_options="default"), key)
    is_event = groups.order >= len(rows)
    keys, of_pane = len(groups.offsets) - 1, groups.order[~is_event]
    events_of_key, panes_of_key = (_offsets(groups.number[chosen], keys) for chosen in (is_event, ~is_event))
    starts_us, states = stored(rows["start"])[of_pane], _unpacked(rows[PANE_STATE])[of_pane]
    of_events = Groups(groups.order[is_event] - len(rows), events_of_key, groups.number[is_event], groups.keys)
    return of_events, PaneStates(panes_of_key, starts_us, states, panes.from_us)


def _offsets(numbers: np.ndarray, keys: int) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(np.bincount(numbers, minlength=keys)))).astype(np.int64)
