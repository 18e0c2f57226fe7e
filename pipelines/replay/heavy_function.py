"""What a model's heavy function says of each row of a replay: one farm over the rows' windows, on many cores.

    rows of the kernel ────▶ windows, each known at its tick ─┐
    events ──sort by time──▶ tuples of keys ──────────────────┴─▶ farm (given_windows.py) ─▶ tuples, status, outputs

A row's tuples are the events that the row covers, in order of (start, arrival, seq): those that had arrived by then and
were not too late. So a late event makes a revision here too, and the newest revision is what turned out to be true.
"""

import platform
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.kernels.api import PassTicks, ResultRows
from windrow.kernels.farm.given_windows import ComputeOptions, TuplesOfKeys, WindowsOfKeys, compute_windows
from windrow.kernels.farm.once import status_text
from windrow.kernels.farm.results import Results
from windrow.kernels.replay.late import Arrived
from windrow.pipelines.ledger.farm_runs import FarmRun
from windrow.pipelines.replay.event_arrays import Groups, event_times
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.rows.arrays import KERNEL_TYPES, decoded, stored, valid
from windrow.pipelines.tables.query_tables import STATUS, TUPLES, function_columns, outputs_of
from windrow.schemas.errors import WrongParameter
from windrow.schemas.model import Model
from windrow.schemas.validation import NUMBERS


def require_served(served: ServedQuery, model: Model) -> None:
    """WrongParameter for a model whose windows don't hold the events that start in them, and as `function_columns`."""
    kind = served.kind
    function_columns(model)
    if kind.events_last or kind.keeps_events or kind.depends_on_others:
        allowed = "windows that hold the events which start in them, such as tumbling and sliding ones"
        raise WrongParameter("window of a model", model.window.kind, allowed)


def compute_rows(
    served: ServedQuery, kept: pa.Table, groups: Groups, ticks: PassTicks, rows: ResultRows, options: ComputeOptions
) -> tuple[dict[str, pa.Array], list[FarmRun]]:
    """The columns of the rows that a model adds, by name, and what the farm did; nothing where there were no rows.
    kept, groups: the events that the rows were made from. Raises as `compute_windows`. O(events · log events), and the
    function on each row's events."""
    model = served.query
    assert isinstance(model, Model), "a plain query has no function"
    call = model.function
    tuples = _tuples_of_keys(served, model, kept, groups, ticks)
    windows = WindowsOfKeys(rows.key, rows.window_start, rows.window_end, rows.emitted_at)
    options = options._replace(seconds_a_window=model.seconds_a_window)
    results, metrics = compute_windows(call.function, call.named_parameters, tuples, windows, options)
    assert np.array_equal(results.covered, rows.events), "a farm's windows cover what the replay's do"
    statuses = Counter(status_text(int(each)) for each in results.status)
    run = FarmRun(call.function, platform.node(), int(results.tuples.sum()), dict(statuses), metrics)
    return _columns(model, results), [run] if len(rows.key) else []


def _tuples_of_keys(
    served: ServedQuery, model: Model, kept: pa.Table, groups: Groups, ticks: PassTicks
) -> TuplesOfKeys:
    events = Arrived.of(groups.number, *event_times(kept, groups), ticks, served.rules(None))
    # Sorting is stable: events of one time stay in order of arrival.
    by_time = np.lexsort((events.start_us, groups.number))
    # By the windows' ends: where a day is skipped, as on Samoa, two windows begin at one time, and one is closed first.
    start_us, arrival_us, closed_us = (us[by_time] for us in (events.start_us, events.arrival_us, events.reached_us))
    order, columns = groups.order[by_time], {name: decoded(kept[name]) for name in model.function.columns}
    has_value = np.logical_and.reduce([valid(column)[order] for column in columns.values()])
    values = np.stack([stored(_as_floats(column, name))[order] for name, column in columns.items()])
    return TuplesOfKeys(groups.offsets, start_us, arrival_us, closed_us, has_value, values)


def _as_floats(column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    if KERNEL_TYPES.get(column.type.id) not in NUMBERS and not pa.types.is_null(column.type):
        raise WrongParameter("column of a function", f"{name} of type {column.type}", "a column of numbers")
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    return column.cast(pa.float64(), safe=False)  # integers beyond 2**53 become the nearest float


def _columns(model: Model, results: Results) -> dict[str, pa.Array]:
    known, places = np.unique(results.status, return_inverse=True)
    texts = pa.array([status_text(int(each)) for each in known], pa.string())
    outputs = {
        name: pa.array(results.outputs[:, place], pa.float64(), mask=np.isnan(results.outputs[:, place]))
        for place, name in enumerate(outputs_of(model))
    }
    return {TUPLES: pa.array(results.tuples), STATUS: pc.take(texts, pa.array(places)), **outputs}
