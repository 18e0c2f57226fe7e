"""A replay of events in memory, local or in a Spark task: Arrow in, one compiled kernel call over all keys, Arrow out.
A kernel's errors call keys, columns, times and events by the words of the query.

events ──filter──▶ kept ──group by key──▶ NumPy columns ──windrow.kernels.replay──▶ rows of the query's table
                                      └─▶ closed forms over watermarks (kernels/kinds) ──▶ rows of its late table
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.kernels.api import (
    FIRINGS,
    CallLimits,
    EventColumns,
    KernelChoice,
    Labels,
    PassTicks,
    ReplayRules,
    ResultRows,
    replay_keys,
)
from windrow.kernels.farm.given_windows import ComputeOptions
from windrow.kernels.replay.late import Arrived, Late
from windrow.kernels.replay.stop import OVER_TIME
from windrow.pipelines.ledger.farm_runs import FarmRun
from windrow.pipelines.replay.day_state import carried_table, group_with
from windrow.pipelines.replay.event_arrays import Groups, event_times, group, result_arrays, sequence_of, value_arrays
from windrow.pipelines.replay.filter import rows_that_pass
from windrow.pipelines.replay.heavy_function import compute_rows, require_served
from windrow.pipelines.replay.kept_panes import PaneRows, group_with_panes
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.rows.arrays import decoded, plain_rows, stored, times
from windrow.pipelines.tables.query_tables import Aggregates, plan_aggregates
from windrow.schemas.errors import TooManySeconds, WrongParameter
from windrow.schemas.model import Model
from windrow.schemas.query import WINDOW_NUMBER, Query
from windrow.schemas.replay_limits import require_rows, require_seconds

WORKERS, LIMITS = "workers", ("most_rows", "most_seconds")
"""Options: threads of a model's farm, and what a replay may cost."""
SHARE_OF_MEMORY = 4
"""Rows may take so large a part of the machine's memory: they stand there up to three times, then as a table."""

LATE_COLUMNS = ("reason", "first_missed", "last_missed", "windows_missed", "late_by")


class Replayed(NamedTuple):
    """rows: of the query's table; kernels: how many keys were replayed by which kernel; farms: what they did, of a
    model; carried: from which a later replay goes on, where this one went on from an earlier one; late: rows of the
    late table, where it was asked for them too."""

    rows: pa.Table
    kernels: Mapping[str, int]
    farms: Sequence[FarmRun] = ()
    carried: pa.Table | None = None
    late: pa.Table | None = None


def replay_events(
    events: pa.Table,
    served: ServedQuery,
    ticks: PassTicks,
    rules: ReplayRules | None = None,
    options: Mapping[str, int] | None = None,
    before: pa.Table | PaneRows | None = None,
) -> Replayed:
    """The result rows of validated events, sorted by key, window and revision.

    events: key and value columns, start, arrival, and for the order seq or path, line, reading; ticks: the whole
    stream's.
    rules: by default those of a stream that goes on, and all rows. Errors: as `windrow.pipelines.local.replay_table`.
    before: of windows that depend on other events, what an earlier replay carried on, which has a row for each of its
    keys, or none; then `ticks` are from the last before these events on. BadInput where another definition carried it.
    Of others panes of what came before (kept_panes.py), in time for each window that has a row from `rows_from_us` on.
    O(events · log events + rows) time; the kernel runs without the GIL.
    """
    query, options, rules = served.query, options or {}, rules or served.rules(None)
    aggregates = plan_aggregates(query, {field.name: field.type for field in events.schema})
    choice = _kernel(served, aggregates, options)
    kept = events.filter(rows_that_pass(events, query.where))
    kept = kept.filter(~served.kind.too_long(query.window, stored(kept["start"]), stored(kept["end"])))
    if before is None:
        groups = group(kept, query.key)
    elif isinstance(before, PaneRows):
        groups, panes = group_with_panes(kept, before, query.key)
        rules = rules._replace(panes=panes)
    else:
        groups, saved = group_with(kept, before, query.key)
        rules = rules._replace(carried=saved or None)  # without keys nothing is carried on
    start_us, end_us, arrival_us = event_times(kept, groups)
    start_us, end_us = served.kind.attributed(query.window, start_us, end_us)
    words, valid, strings = value_arrays(aggregates, kept, groups.order)
    labels = labels_of(kept, groups, aggregates, served)
    columns = EventColumns(groups.offsets, start_us, arrival_us, words, valid, end_us, labels)
    column, column_type, reads = aggregates.window
    starts_us = start_us if rules.panes is None else np.append(start_us, rules.panes.starts_us)
    spec = served.kind.spec(query.window, starts_us if len(starts_us) else None)
    spec = spec._replace(column=column, column_type=column_type, reads=reads)
    of_function: dict[str, pa.Array] = {}
    farms: Sequence[FarmRun] = ()
    with _limits_of(options) as limits:
        rows = replay_keys(columns, spec, aggregates.plan, ticks, rules._replace(limits=limits), choice)
        if isinstance(query, Model):
            farm_options = ComputeOptions(options.get(WORKERS), stop=limits.stop)
            of_function, farms = compute_rows(served, kept, groups, ticks, rows, farm_options)
    named = _key_and_window_columns(rows, groups, query)
    outputs = result_arrays(aggregates, strings, rows.outputs, rows.null)
    left = carried_table(groups, rows.carried, query.key) if isinstance(before, pa.Table) else None
    return Replayed(pa.table({**named, **outputs, **of_function}), rows.kernels, farms, left)


def _kernel(served: ServedQuery, aggregates: Aggregates, options: Mapping[str, int]) -> KernelChoice:
    others = {*LIMITS}
    if isinstance(served.query, Model):
        require_served(served, served.query)
        others.add(WORKERS)
    return served.choose_kernel(aggregates.plan, {name: each for name, each in options.items() if name not in others})


def _key_and_window_columns(rows: ResultRows, groups: Groups, query: Query) -> dict[str, object]:
    keys = {} if groups.keys is None else {name: groups.keys[name].take(rows.key) for name in query.key}
    columns = {
        "window_start": times(rows.window_start),
        "window_end": times(rows.window_end),
        WINDOW_NUMBER: rows.number,
        "revision": rows.revision,
        "pane": pa.array(FIRINGS).take(pa.array(rows.firing)),
        "emitted_at": times(rows.emitted_at),
        "events": rows.events,
        "late_events": rows.late_events,
    }
    return keys | {name: columns[name] for name in query.window_columns}


def late_events(events: pa.Table, served: ServedQuery, ticks: PassTicks) -> pa.Table:
    """Which events missed windows, and for what; sorted by key and order of arrival; late_by in µs."""
    query = served.query
    kept = events.filter(rows_that_pass(events, query.where))
    groups = group(kept, query.key)
    late = Late.of_nothing()
    if kept.num_rows:
        arrived = Arrived.of(groups.number, *event_times(kept, groups), ticks, served.rules(None))
        late = served.kind.late(query.window, arrived)
    late_rows = kept.take(groups.order[late.row])
    names = dict.fromkeys((*query.key, "start", "end", "arrival", *sequence_of(late_rows)))
    clash = [name for name in query.key if name in LATE_COLUMNS]
    if clash:
        raise WrongParameter("key", clash[0], f"for a late table, a column other than {', '.join(LATE_COLUMNS)}")
    return pa.table(
        {
            **{name: late_rows[name] for name in names},
            "reason": pa.array(np.where(late.too_long, "too long", "too late"), pa.string()),
            "first_missed": _known(times(late.first_missed_us), late.windows_missed > 0),
            "last_missed": _known(times(late.last_missed_us), late.windows_missed > 0),
            "windows_missed": _known(pa.array(late.windows_missed), np.full(len(late.row), late.knows_windows)),
            "late_by": _known(pa.array(late.late_by_us), late.knows_how_late),
        }
    )


def _known(values: pa.Array, known: np.ndarray) -> pa.Array:
    return pc.if_else(pa.array(known), values, pa.scalar(None, values.type))


@contextmanager
def _limits_of(options: Mapping[str, int | float | None]) -> Iterator[CallLimits]:
    """The limits among some options, by default rows that fit this machine; the clock runs from now on."""
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    rows, seconds = (options.get(name) for name in LIMITS)
    most_rows = None if rows is None else require_rows("most_rows", rows)
    stop = np.zeros(1, np.int64)
    limits = CallLimits(most_rows, memory_bytes // SHARE_OF_MEMORY, stop)
    if seconds is None:
        yield limits
        return
    most = require_seconds("most_seconds", seconds)
    timer = Timer(most, stop.__setitem__, (0, OVER_TIME))
    timer.daemon = True
    timer.start()
    try:
        yield limits
    except TooManySeconds:  # from a kernel, which knows no clock
        raise TooManySeconds(most) from None
    finally:
        timer.cancel()


def labels_of(events: pa.Table, groups: Groups, aggregates: Aggregates, served: ServedQuery) -> Labels:
    """Keys by their columns' values, columns by name, times as dates in UTC, events by file and line, or by seq."""
    names = [each.column for each in aggregates.value_columns]

    def values(column: int, key: int, start_us: int, end_us: int, tick_us: int) -> str:
        of_key = events.take(groups.order[groups.offsets[key] : groups.offsets[key + 1]])
        of_key = of_key.filter(stored(of_key["arrival"]) <= tick_us)
        starts, ends = served.kind.attributed(served.query.window, stored(of_key["start"]), stored(of_key["end"]))
        last = np.maximum(ends - 1, starts)
        return _extremes(of_key.filter((starts < end_us) & (last >= start_us)), names[column])

    return Labels(lambda key: _key(groups, key), lambda column: f"column {names[column]}", _time, values)


def _extremes(events: pa.Table, name: str) -> str:
    """The least and the greatest value, and where they come from: what is beyond a bound is mostly one of the two."""
    present = events.filter(pc.is_valid(decoded(events[name])))
    if not present.num_rows:
        return ""
    places = [each for each in ("path", "line", "seq") if each in present.column_names]
    rows = present.take(pc.sort_indices(decoded(present[name]))).select([name, *places])
    least, greatest = plain_rows(rows.take([0, len(rows) - 1]))
    return f". Of its {len(rows):,} values the least is {_placed(least, name)}, the greatest {_placed(greatest, name)}"


def _placed(row: dict, name: str) -> str:
    place = f"seq {row['seq']}" if "seq" in row else f"{row['path']}, line {row['line']}"
    return f"{row[name]!r} ({place})"


def _key(groups: Groups, number: int) -> str:
    if groups.keys is None:
        return "the only key"
    [values] = plain_rows(groups.keys.slice(number, 1))
    return ", ".join(f"{name}={value!r}" for name, value in values.items())


def _time(time_us: int) -> str:
    # NumPy's: its years have no end, as those of Python's datetime do.
    return str(np.datetime64(int(time_us), "us")).replace("T", " ").removesuffix(".000000") + " UTC"
