"""A replay of events in memory, local or in a Spark task: Arrow in, one compiled kernel call over all keys, Arrow out.

events ──filter──▶ kept ──group by key──▶ NumPy columns ──kernels.replay──▶ rows of the query's table
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kernels.farm.given_windows import ComputeOptions
from kernels.replay import FIRINGS, EventColumns, PassTicks, ReplayRules, ResultRows, replay_keys
from pipelines.lake.aggregates import Aggregates, plan_aggregates
from pipelines.lake.arrays import TIME, stored, times
from pipelines.ledger.farm_runs import FarmRun
from pipelines.replay.aggregate_values import result_arrays, value_arrays
from pipelines.replay.filter import rows_that_pass
from pipelines.replay.group_keys import Groups, group
from pipelines.replay.heavy_function import Farmed, compute_rows, no_columns, require_served
from pipelines.replay.labels import labels_of
from pipelines.replay.limits import NAMES, limits_of
from pipelines.replay.specifications import ServedQuery
from schemas.model import Model
from schemas.query import Query

WORKERS = "workers"
"""Option: threads of a model's farm."""
RESULT_TYPES = {
    "window_start": TIME,
    "window_end": TIME,
    "revision": pa.int64(),
    "pane": pa.string(),
    "emitted_at": TIME,
    "events": pa.int64(),
    "late_events": pa.int64(),
}


class Replayed(NamedTuple):
    """rows: of the query's table; kernels: how many keys were replayed by which kernel; farms: what they did, of a
    model."""

    rows: pa.Table
    kernels: Mapping[str, int]
    farms: Sequence[FarmRun] = ()


def replay_events(
    events: pa.Table,
    served: ServedQuery,
    ticks: PassTicks,
    rules: ReplayRules | None = None,
    kernel: str | None = None,
    options: Mapping[str, int] | None = None,
) -> Replayed:
    """The result rows of validated events, sorted by key, window and revision.

    events: key and value columns, start, arrival, and for the order seq or path, line, reading; ticks: the whole
    stream's.
    rules: by default those of a stream that goes on, and all rows. Errors: as `pipelines.local.replay_table`.
    O(events · log events + rows) time; the kernel runs without the GIL.
    """
    query, options = served.query, options or {}
    aggregates = plan_aggregates(query, {field.name: field.type for field in events.schema})
    if isinstance(query, Model):
        require_served(served, query)
    others = (*NAMES, WORKERS) if isinstance(query, Model) else NAMES
    of_kernel = {name: value for name, value in options.items() if name not in others}
    choice = served.choose_kernel(aggregates.plan, kernel, of_kernel)
    kept = _in_windows(events, served)
    if kept.num_rows == 0:
        return Replayed(_empty_results(events, query, aggregates), {})
    groups = group(kept, query.key)
    labels = labels_of(kept, groups, aggregates, served)
    columns = _columns(kept, groups, aggregates, served)._replace(labels=labels)
    spec = served.kind.spec(query.window, columns.start_us)
    with limits_of(options) as limits:
        limited = (rules or served.rules(None))._replace(limits=limits)
        rows = replay_keys(columns, spec, aggregates.plan, ticks, limited, choice)
        farmed = Farmed({}, [])
        if isinstance(query, Model):
            farm_options = ComputeOptions(options.get(WORKERS), stop=limits.stop)
            farmed = compute_rows(served, kept, groups, ticks, rows, farm_options)
    return Replayed(_result_table(rows, groups, aggregates, farmed.columns), rows.kernels, farmed.runs)


def _in_windows(events: pa.Table, served: ServedQuery) -> pa.Table:
    """The events that pass the filter and are short enough."""
    kept = events.filter(rows_that_pass(events, served.query.where))
    return kept.filter(~served.kind.too_long(served.query.window, stored(kept["start"]), stored(kept["end"])))


def _columns(kept: pa.Table, groups: Groups, aggregates: Aggregates, served: ServedQuery) -> EventColumns:
    """The events key by key, as a kernel takes them."""
    start_us, end_us, arrival_us = (stored(kept[name])[groups.order] for name in ("start", "end", "arrival"))
    start_us, end_us = served.kind.attributed(served.query.window, start_us, end_us)
    values, present = value_arrays(aggregates, kept, groups.order)
    return EventColumns(groups.offsets, start_us, arrival_us, values, present, end_us)


def _empty_results(events: pa.Table, query: Query, aggregates: Aggregates) -> pa.Table:
    """No rows, with the columns and types of a result."""
    keys = {name: events.schema.field(name).type for name in query.key}
    outputs = {output.name: output.result for output in aggregates.outputs}
    of_function = no_columns(query) if isinstance(query, Model) else {}
    return pa.schema({**keys, **RESULT_TYPES, **outputs, **of_function}).empty_table()


def _result_table(
    rows: ResultRows, groups: Groups, aggregates: Aggregates, of_function: dict[str, pa.Array]
) -> pa.Table:
    taken = None if groups.keys is None else groups.keys.take(rows.key)
    keys = {} if taken is None else {name: taken[name] for name in taken.column_names}
    firing = pa.array(np.array(FIRINGS, dtype=object)[rows.firing], pa.string())
    return pa.table(
        {
            **keys,
            "window_start": times(rows.window_start),
            "window_end": times(rows.window_end),
            "revision": rows.revision,
            "pane": firing,
            "emitted_at": times(rows.emitted_at),
            "events": rows.events,
            "late_events": rows.late_events,
            **result_arrays(aggregates, rows.outputs, rows.null),
            **of_function,
        }
    )
