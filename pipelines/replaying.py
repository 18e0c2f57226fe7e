"""A replay of events in memory, local or in a Spark task: Arrow in, one compiled kernel call over all keys, Arrow out.

    events ──where──▶ kept ──group by key──▶ NumPy columns ──kernels.replay──▶ rows of the query's table
                       └────────────────▶ closed forms over watermarks ──▶ rows of its late table
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kernels.replay import (
    PANES,
    WINDOW_KINDS,
    AggregatePlan,
    EventColumns,
    KernelChoice,
    PassTicks,
    ReplayRules,
    ResultRows,
    WindowSpec,
    Zone,
    choose,
    replay_keys,
)
from pipelines.aggregates import Aggregates, aggregate_columns, plan_aggregates
from pipelines.arrays import TIME, stored, times
from pipelines.grouping import Groups, group
from pipelines.labels import labels_of
from pipelines.lateness import (
    FOREVER_US,
    Late,
    late_in_fixed_windows,
    late_in_rolling_windows,
    late_in_spanning_windows,
)
from pipelines.where import rows_that_pass
from pipelines.window_index import MICROSECOND, days_around, origin_us, slide_of
from schemas.errors import NotServed, WrongParameter
from schemas.query import Query
from schemas.windows import Window

LONGEST_SIZE_US = 1 << 60
RESULT_TYPES = {"window_start": TIME, "window_end": TIME, "revision": pa.int64(), "pane": pa.string(),
                "emitted_at": TIME, "events": pa.int64(), "late_events": pa.int64()}
LATE_TYPES = {"reason": pa.string(), "first_missed": TIME, "last_missed": TIME, "windows_missed": pa.int64(),
              "late_by": pa.int64()}
SEQUENCES = (("seq",), ("path", "line", "reading"))


class Replayed(NamedTuple):
    """rows: of the query's table; kernels: how many keys were replayed by which kernel."""

    rows: pa.Table
    kernels: Mapping[str, int]


def replay_events(events: pa.Table, query: Query, ticks: PassTicks, last_tick_us: int | None = None,
                  kernel: str | None = None, options: Mapping[str, int] | None = None) -> Replayed:
    """The result rows of events that were judged at the entrance, sorted by key, window and revision.

    events: key and value columns, start, arrival, and for the order seq or path, line, reading; ticks: the whole
    stream's.
    last_tick_us: the tick at which the watermark goes to infinity. Errors: as `pipelines.local.replay_table`.
    O(events · log events + rows) time; the kernel runs without the GIL.
    """
    aggregates = plan_aggregates(query, _types(events))
    choice = _choose(query, aggregates.plan, kernel, options)
    kept = events.filter(rows_that_pass(events, query.where))
    kept = kept.filter(~too_long(kept, query.window))
    if kept.num_rows == 0:
        return Replayed(empty_results(events, query, aggregates), {})
    groups = group(kept, query.key)
    start_us = stored(kept["start"])[groups.order]
    values, present = aggregates.values(kept, groups.order)
    arrival_us, end_us = (stored(kept[name])[groups.order] for name in ("arrival", "end"))
    columns = EventColumns(groups.offsets, start_us, arrival_us, values, present, end_us, labels_of(groups, aggregates))
    rows = replay_keys(columns, window_spec(query.window, start_us), aggregates.plan, ticks,
                       rules_of(query, last_tick_us), choice)
    return Replayed(_result_table(rows, groups, aggregates), rows.kernels)


def late_events(events: pa.Table, query: Query, ticks: PassTicks) -> pa.Table:
    """The late table of the same events, sorted by key and order of arrival; late_by in µs. No kernel takes part."""
    refuse_unserved(query.window)
    kept = events.filter(rows_that_pass(events, query.where))
    groups = group(kept, query.key)
    rules = rules_of(query, None)
    start_us, arrival_us = (stored(kept[name])[groups.order] for name in ("start", "arrival"))
    if kept.num_rows == 0:
        late = Late.of_nothing()
    elif query.window.kind == "spanning":
        interval = (start_us, stored(kept["end"])[groups.order])
        late = late_in_spanning_windows(interval, arrival_us, query, ticks, rules)
    elif query.window.kind == "rolling":
        late = late_in_rolling_windows(groups.number, start_us, arrival_us, query, ticks, rules)
    else:
        late = late_in_fixed_windows(start_us, arrival_us, query, ticks, rules)
    return _late_table(kept.take(groups.order[late.row]), query, late)


def too_long(events: pa.Table, window: Window) -> np.ndarray:
    """Which events last longer than spanning windows hold (semantics §2)."""
    if window.kind != "spanning":
        return np.zeros(events.num_rows, dtype=bool)
    return stored(events["end"]) - stored(events["start"]) > window.longest // MICROSECOND


def refuse_unreplayable(query: Query) -> None:
    """NotServed, or WrongParameter, for a window that no kernel serves."""
    _choose(query, AggregatePlan(()), None, None)


def refuse_unserved(window: Window) -> None:
    """NotServed for a window kind that no kernel serves, WrongParameter for a size beyond the range of times."""
    if window.kind not in WINDOW_KINDS:
        raise NotServed("window", window.kind, WINDOW_KINDS)
    for parameter in ("size", "slide"):
        length = getattr(window, parameter, window.size)
        if length // MICROSECOND > LONGEST_SIZE_US:
            raise WrongParameter(parameter, length, f"at most {LONGEST_SIZE_US} µs, about 36,533 years")


def window_spec(window: Window, starts_us: np.ndarray | None = None) -> WindowSpec:
    """The window as kernels want it; `starts_us` say which days a zone's windows can touch."""
    size_us = window.size // MICROSECOND
    if window.kind == "rolling":
        return WindowSpec("rolling", size_us)
    slide_us = slide_of(window) // MICROSECOND
    if window.zone is None:
        return WindowSpec(window.kind, size_us, slide_us, origin_us(window))
    days = None if starts_us is None else days_around(window, starts_us)
    return WindowSpec(window.kind, size_us, slide_us, zone=days and Zone(days.midnights_us, days.first))


def rules_of(query: Query, last_tick_us: int | None) -> ReplayRules:
    """Lateness, emit and end of the stream as kernels want them."""
    waits = (query.lateness, query.allowed_lateness)
    lateness_us, allowed_us = (min(each // MICROSECOND, FOREVER_US) for each in waits)
    return ReplayRules(lateness_us, allowed_us, query.emit, last_tick_us)


def pass_ticks(arrival_us: np.ndarray, start_us: np.ndarray) -> PassTicks:
    """The watermark's staircase of events in any order: the ticks that raise the newest start. O(n · log n)."""
    order = np.argsort(arrival_us, kind="stable")
    tick_us, newest_us = arrival_us[order], np.maximum.accumulate(start_us[order])
    ends_tick = np.append(tick_us[1:] != tick_us[:-1], True)[:len(tick_us)]
    tick_us, newest_us = tick_us[ends_tick], newest_us[ends_tick]
    raises = np.append(True, newest_us[1:] > newest_us[:-1])[:len(tick_us)]
    return PassTicks(tick_us[raises], newest_us[raises])


def _choose(query: Query, plan: AggregatePlan, kernel: str | None, options: Mapping[str, int] | None) -> KernelChoice:
    refuse_unserved(query.window)
    return choose(window_spec(query.window), plan, kernel, options)


def _types(events: pa.Table) -> dict[str, pa.DataType]:
    return {field.name: field.type for field in events.schema}


def empty_results(events: pa.Table, query: Query, aggregates: Aggregates) -> pa.Table:
    """No rows, with the columns and types of a result."""
    keys = {name: events.schema.field(name).type for name in query.key}
    outputs = {output.name: output.result for output in aggregates.outputs}
    return pa.schema({**keys, **RESULT_TYPES, **outputs}).empty_table()


def _result_table(rows: ResultRows, groups: Groups, aggregates: Aggregates) -> pa.Table:
    taken = None if groups.keys is None else groups.keys.take(rows.key)
    keys = {} if taken is None else {name: taken[name] for name in taken.column_names}
    pane = pa.array(np.array(PANES, dtype=object)[rows.pane], pa.string())
    return pa.table({
        **keys, "window_start": times(rows.window_start), "window_end": times(rows.window_end),
        "revision": rows.revision, "pane": pane, "emitted_at": times(rows.emitted_at),
        "events": rows.events, "late_events": rows.late_events, **aggregates.arrays(rows.outputs, rows.null)})


def _late_table(late_rows: pa.Table, query: Query, late: Late) -> pa.Table:
    sequence = next(names for names in SEQUENCES if set(names) <= set(late_rows.column_names))
    names = tuple(dict.fromkeys((*query.key, "start", "end", "arrival", *sequence)))
    clash = [name for name in query.key if name in LATE_TYPES]
    if clash:
        raise WrongParameter("key", clash[0], f"for a late table, a column other than {', '.join(LATE_TYPES)}")
    return pa.table({
        **{name: late_rows[name] for name in names},
        "reason": pa.array(np.where(late.too_long, "too long", "too late"), pa.string()),
        "first_missed": _known(times(late.first_missed_us), late.windows_missed > 0),
        "last_missed": _known(times(late.last_missed_us), late.windows_missed > 0),
        "windows_missed": late.windows_missed, "late_by": _known(pa.array(late.late_by_us), late.knows_how_late)})


def _known(values: pa.Array, known: np.ndarray) -> pa.Array:
    return pc.if_else(pa.array(known), values, pa.scalar(None, values.type))


__all__ = ["aggregate_columns", "late_events", "pass_ticks", "refuse_unreplayable", "replay_events"]
