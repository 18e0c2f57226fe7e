"""A replay of events in memory, local or in a Spark task: Arrow in, of each window one compiled kernel call over all
keys, Arrow out. A kernel's errors call keys, columns, times and events by the words of the query.

events by key (events_by_key.py) ──windrow.kernels.replay──▶ rows of the query's table
                                └─▶ closed forms over watermarks (kernels/kinds) ──▶ rows of its late table
"""

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
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
from windrow.kernels.replay.rows import ROW_WORDS
from windrow.kernels.replay.stop import OVER_TIME, most_rows
from windrow.kernels.runtime.memory import WORD_BYTES
from windrow.pipelines.ledger.farm_runs import FarmRun
from windrow.pipelines.replay.day_state import carried_table
from windrow.pipelines.replay.event_arrays import Groups, result_arrays, sequence_of
from windrow.pipelines.replay.events_by_key import EventsOfKeys, QueryEvents
from windrow.pipelines.replay.expressions import column_of
from windrow.pipelines.replay.heavy_function import compute_rows, require_served
from windrow.pipelines.replay.specifications import ServedQuery
from windrow.pipelines.rows.arrays import plain_rows, stored, times
from windrow.pipelines.tables.query_tables import Aggregates
from windrow.schemas.errors import TooManyRows, TooManySeconds, WrongParameter
from windrow.schemas.model import Model
from windrow.schemas.query import WINDOW_NAME, WINDOW_NUMBER, AggregatedValue, Query
from windrow.schemas.registry import personal_columns
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


class ReplayedWindow(NamedTuple):
    """What a replay of one window made; keys: of each row, the number of its key among those of the query's events."""

    replayed: Replayed
    keys: np.ndarray


def replay_events(
    of: QueryEvents,
    parts: Sequence[ServedQuery],
    ticks: PassTicks,
    rules: ReplayRules | None = None,
    options: Mapping[str, int] | None = None,
    bounds_us: Sequence[int] | None = None,
) -> Replayed:
    """The result rows of events, sorted by key, name of the window, window and revision.

    parts: of each window of the query; ticks: the whole stream's.
    rules: by default those of a stream that goes on, and all rows. Errors: as `windrow.pipelines.local.replay_table`.
    bounds_us: of each part, the time after which its events start; by default all make rows.
    Of windows that depend on other events, what an earlier replay carried on came along with the events; then `ticks`
    are from the last before these events on. BadInput where another definition carried it. Panes of what came before
    came along too (kept_panes.py), in time for each window that has a row from `rows_from_us` on.
    O(events · log events + rows) time; the kernel runs without the GIL.
    """
    options, rules, made = options or {}, rules or parts[0].rules(None), []
    with _limits_of(options) as limits:
        for place, served in enumerate(parts):
            chosen = of.chosen(_in_windows(of.keyed, served, None if bounds_us is None else bounds_us[place]))
            made.append(_replay_window(chosen, served, ticks, rules._replace(limits=limits), options))
            if place:  # the kernel looks at one window only
                _require_few(limits, sum(len(each.keys) for each in made), len(of.values.aggregates.outputs))
    if parts[0].window_name is None:
        return made[0].replayed
    rows = _of_windows(parts, [(each.replayed.rows, each.keys) for each in made])
    return Replayed(rows, sum((Counter(each.replayed.kernels) for each in made), Counter[str]()))


def _in_windows(keyed: EventsOfKeys, served: ServedQuery, bound_us: int | None) -> np.ndarray:
    """Which events may be in a window."""
    wanted = ~served.kind.too_long(served.query.window, keyed.start_us, keyed.end_us)
    return wanted if bound_us is None else wanted & (keyed.start_us > bound_us)


def _replay_window(
    of: QueryEvents, served: ServedQuery, ticks: PassTicks, rules: ReplayRules, options: Mapping[str, int]
) -> ReplayedWindow:
    query, (keyed, (aggregates, words, valid, strings)) = served.query, of
    choice = _kernel(served, aggregates, options)
    rules = rules._replace(carried=keyed.carried or None, panes=keyed.panes)  # without keys nothing is carried on
    start_us, end_us = served.kind.attributed(query.window, keyed.start_us, keyed.end_us)
    labels = labels_of(keyed, aggregates, served)
    columns = EventColumns(keyed.groups.offsets, start_us, keyed.arrival_us, words, valid, end_us, labels)
    column, column_type, reads = aggregates.window
    starts_us = start_us if keyed.panes is None else np.append(start_us, keyed.panes.starts_us)
    spec = served.kind.spec(query.window, starts_us if len(starts_us) else None)
    spec = spec._replace(column=column, column_type=column_type, reads=reads)
    rows = replay_keys(columns, spec, aggregates.plan, ticks, rules, choice)
    of_function: dict[str, pa.Array] = {}
    farms: Sequence[FarmRun] = ()
    if isinstance(query, Model):
        farm_options = ComputeOptions(options.get(WORKERS), stop=rules.limits.stop)
        of_function, farms = compute_rows(served, keyed.events, keyed.groups, ticks, rows, farm_options)
    named = _key_and_window_columns(rows, keyed.groups, query)
    outputs = result_arrays(aggregates, strings, rows.outputs, rows.null)
    left = None if keyed.carried is None else carried_table(keyed.groups, rows.carried, query.key)
    replayed = Replayed(pa.table({**named, **outputs, **of_function}), rows.kernels, farms, left)
    return ReplayedWindow(replayed, keyed.key_numbers[rows.key])


def _of_windows(parts: Sequence[ServedQuery], made: Sequence[tuple[pa.Table, np.ndarray]]) -> pa.Table:
    """Rows of several windows, each with the name of its own, by key. made: of each window its rows and their keys'
    numbers, by key."""
    tables = []
    for served, (rows, _) in zip(parts, made, strict=True):
        name = pa.repeat(pa.scalar(served.window_name, pa.string()), len(rows))
        tables.append(rows.add_column(len(served.query.key), WINDOW_NAME, name))
    order = np.argsort(np.concatenate([keys for _, keys in made]), kind="stable")
    return pa.concat_tables(tables).combine_chunks().take(order)


def _require_few(limits: CallLimits, rows: int, outputs: int) -> None:
    """TooManyRows where a query's windows have more in all than the limits say."""
    words = ROW_WORDS + outputs
    if rows > (most := most_rows(limits, words)):
        raise TooManyRows(rows, most, WORD_BYTES * words)


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


def late_events(keyed: EventsOfKeys, parts: Sequence[ServedQuery], ticks: PassTicks) -> pa.Table:
    """Which events missed windows, and for what; sorted by key, name of the window and order of arrival; late_by in
    µs. parts: of each window of the query."""
    clash = [name for name in parts[0].query.key if name in LATE_COLUMNS]
    if clash:
        raise WrongParameter("key", clash[0], f"for a late table, a column other than {', '.join(LATE_COLUMNS)}")
    times_us = (keyed.start_us, keyed.end_us, keyed.arrival_us)
    arrived = Arrived.of(keyed.groups.number, *times_us, ticks, parts[0].rules(None))
    made = [_late_for_window(keyed, served, arrived) for served in parts]
    return made[0][0] if parts[0].window_name is None else _of_windows(parts, made)


def _late_for_window(keyed: EventsOfKeys, served: ServedQuery, arrived: Arrived) -> tuple[pa.Table, np.ndarray]:
    """The rows, and the numbers of their keys."""
    late = served.kind.late(served.query.window, arrived) if len(arrived.key) else Late.of_nothing()
    late_rows = keyed.events.take(keyed.groups.order[late.row])
    names = dict.fromkeys((*served.query.key, "start", "end", "arrival", *sequence_of(late_rows)))
    rows = pa.table(
        {
            **{name: late_rows[name] for name in names},
            "reason": pa.array(np.where(late.too_long, "too long", "too late"), pa.string()),
            "first_missed": _known(times(late.first_missed_us), late.windows_missed > 0),
            "last_missed": _known(times(late.last_missed_us), late.windows_missed > 0),
            "windows_missed": _known(pa.array(late.windows_missed), np.full(len(late.row), late.knows_windows)),
            "late_by": _known(pa.array(late.late_by_us), late.knows_how_late),
        }
    )
    return rows, keyed.groups.number[late.row]


def _known(values: pa.Array, known: np.ndarray) -> pa.Array:
    return pc.if_else(pa.array(known), values, pa.scalar(None, values.type))


@contextmanager
def _limits_of(options: Mapping[str, int | float | None]) -> Iterator[CallLimits]:
    """The limits among some options, by default rows that fit this machine; the clock runs from now on."""
    memory_bytes = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    rows, seconds = (options.get(name) for name in LIMITS)
    stop = np.zeros(1, np.int64)
    limits = CallLimits(
        None if rows is None else require_rows("most_rows", rows), memory_bytes // SHARE_OF_MEMORY, stop
    )
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


def labels_of(keyed: EventsOfKeys, aggregates: Aggregates, served: ServedQuery) -> Labels:
    """Keys by their columns' values, columns by name, times as dates in UTC, events by file and line, or by seq."""
    events, groups = keyed.events, keyed.groups
    read, personal = [each.value for each in aggregates.value_columns], personal_columns(served.query.stream)

    def values(column: int, key: int, start_us: int, end_us: int, tick_us: int) -> str:
        of_key = events.take(groups.order[groups.offsets[key] : groups.offsets[key + 1]])
        of_key = of_key.filter(stored(of_key["arrival"]) <= tick_us)
        if personal.intersection(read[column].columns):
            return ""
        starts, ends = served.kind.attributed(served.query.window, stored(of_key["start"]), stored(of_key["end"]))
        last = np.maximum(ends - 1, starts)
        return _extremes(of_key.filter((starts < end_us) & (last >= start_us)), read[column])

    return Labels(lambda key: _key(groups, key, personal), lambda column: f"column {read[column]}", _time, values)


def _extremes(events: pa.Table, value: AggregatedValue) -> str:
    """The least and the greatest value, and where they come from: what is beyond a bound is mostly one of the two."""
    name = str(value)
    places = [each for each in ("path", "line", "seq") if each in events.column_names]
    found = events.select([each for each in places if each != name]).append_column(name, column_of(events, value))
    present = found.filter(pc.is_valid(found[name]))
    if not present.num_rows:
        return ""
    rows = present.take(pc.sort_indices(present[name]))
    least, greatest = plain_rows(rows.take([0, len(rows) - 1]))
    return f". Of its {len(rows):,} values the least is {_placed(least, name)}, the greatest {_placed(greatest, name)}"


def _placed(row: dict, name: str) -> str:
    place = f"seq {row['seq']}" if "seq" in row else f"{row['path']}, line {row['line']}"
    return f"{row[name]!r} ({place})"


def _key(groups: Groups, number: int, personal: Collection[str]) -> str:
    if groups.keys is None:
        return "the only key"
    [values] = plain_rows(groups.keys.slice(number, 1))
    return ", ".join(f"{name}={'a person' if name in personal else repr(value)}" for name, value in values.items())


def _time(time_us: int) -> str:
    # NumPy's: its years have no end, as those of Python's datetime do.
    return str(np.datetime64(int(time_us), "us")).replace("T", " ").removesuffix(".000000") + " UTC"
