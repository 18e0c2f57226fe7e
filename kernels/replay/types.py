"""What goes into a replay, what it must be, and what comes out: NumPy arrays and plain numbers.

Times are int64 microseconds since the Unix epoch, UTC, within ±2**61 (the year 75,000). A value is one 64-bit
word: an int64, the bits of a float64 (`array.view(np.int64)`), a timestamp in microseconds, a date in days, a bool as 0
or 1, or a string as its place among the strings of the replay, in order.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from windrow.kernels.bounds.calendar import Zone
from windrow.kernels.columns import LIMIT_US, checked_offsets, checked_times, checked_values, require_whole
from windrow.kernels.monoids import AggregateSpec
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.windows import Window

EMITS = ("final", "watermark", "arrival")
EMIT_FINAL, EMIT_WATERMARK, EMIT_ARRIVAL = range(3)
"""What kernels know an emit by: its place in EMITS."""
FIRINGS = ("final", "on_time", "late", "early")
"""What ResultRows.firing is a place in."""


class Labels(NamedTuple):
    """Functions that give errors their words. key, column, time: the text for a key's number, a column's number and a
    time in µs. values: what an error says about the values of a column that a key has in a window, among events that
    had arrived by a tick: from (column, key, start, end, tick) to a text, which is empty or begins with a blank."""

    key: Callable[[int], str] = "key {}".format
    column: Callable[[int], str] = "column {}".format
    time: Callable[[int], str] = "{} µs".format
    values: Callable[[int, int, int, int, int], str] = "".format


class EventColumns(NamedTuple):
    """Events of many keys; a key's events stand together, in order of (arrival, seq).

    key_offsets: int64[keys + 1]; the events of key k are [key_offsets[k], key_offsets[k + 1])
    start_us, arrival_us: int64[events]; arrival never falls within a key
    values: int64[columns, events], one 64-bit word per value (see above); at a null the word is ignored
    valid: bool[columns, events], False at a null
    end_us: int64[events], never before the start; None unless the window is spanning
    labels: how errors name keys, columns and times
    shares: set by a replay whose aggregates take shares of events (spans.py); leave it None
    """

    key_offsets: np.ndarray
    start_us: np.ndarray
    arrival_us: np.ndarray
    values: np.ndarray
    valid: np.ndarray
    end_us: np.ndarray | None = None
    labels: Labels = Labels()
    shares: np.ndarray | None = None


class WindowSpec(NamedTuple):
    """One window kind with its parameters.

    kind: the name of the kind's file, which says which of the other fields the kind takes
    size_us: > 0; with a zone every day counts as 86,400 s here
    slide_us: > 0, from one window's start to the next
    origin_us: start of window 0; ignored with a zone
    zone: None, or the days of a calendar window
    parameters: further parameters of the kind, in the kind's own order
    asked: the query's window, for kinds that read their parameters there
    column, column_type: place among the values, and type, of the column that cuts windows, if there is one
    reads: aggregates by which a policy cuts windows
    """

    kind: str
    size_us: int
    slide_us: int = 0
    origin_us: int = 0
    zone: Zone | None = None
    parameters: tuple[int, ...] = ()
    asked: Window | None = None
    column: int | None = None
    column_type: str = "int64"
    reads: tuple[AggregateSpec, ...] = ()


class AggregatePlan(NamedTuple):
    """The aggregates of one query, in the order of their output columns."""

    aggregates: tuple[AggregateSpec, ...]


class PassTicks(NamedTuple):
    """The staircase of the whole stream (before any filter), as int64 arrays of one length.

    tick_us: strictly ascending arrival ticks
    newest_start_us: ascending; newest event start over all events that arrived by the tick
    Ticks that do not raise it may be left out. P(E) = first tick with newest_start ≥ E + lateness.
    """

    tick_us: np.ndarray
    newest_start_us: np.ndarray


class CallLimits(NamedTuple):
    """What one call of a replay may cost.

    most_rows: None for as many rows as `most_bytes` hold; up to three copies of them are in memory at once
    stop: int64[1]; a thread that writes OVER_TIME of stop.py to it ends the replay with TooManySeconds
    """

    most_rows: int | None = None
    most_bytes: int = 1 << 32
    stop: np.ndarray | None = None


class PaneStates(NamedTuple):
    """What came before a tick, combined by pane (numbered/kept.py): in time for every window that has rows from then
    on.

    first_of_key: int64[keys + 1]; the panes of key k are [first_of_key[k], first_of_key[k + 1])
    starts_us: int64[panes], where each starts; a pane may be there several times
    states: int64[panes, words]
    from_us: the tick from which events come
    """

    first_of_key: np.ndarray
    starts_us: np.ndarray
    states: np.ndarray
    from_us: int


class ReplayRules(NamedTuple):
    """When rows are emitted: lateness and allowed lateness in µs (≥ 0); emit "final", "watermark" or "arrival".

    complete_tick_us: None, or the tick at which the watermark goes to infinity: P(E) = min(P(E), complete
        tick). No event arrives after it.
    limits: what the call may cost
    rows_from_us: None, or a tick: only rows from this tick on are returned; earlier ones still count as revisions
    starts_us: (first, end): only rows of windows that start at `first` or later and before `end` are returned; None
        means no limit
    carried: for windows that depend on other events: for each key the `carried` of an earlier replay's rows, or an
        empty array for a key that the earlier replay didn't have. None: the keys begin here, and no state is returned
    panes: for windows in panes: what came before the events; rows must not be asked of windows that were passed then
    """

    lateness_us: int
    allowed_us: int
    emit: str
    complete_tick_us: int | None = None
    limits: CallLimits = CallLimits()
    rows_from_us: int | None = None
    starts_us: tuple[int | None, int | None] = (None, None)
    carried: Sequence[np.ndarray] | None = None
    panes: PaneStates | None = None


class KernelChoice(NamedTuple):
    """A kernel by name, with its options as (name, value) pairs. name: None to let each key's events choose one."""

    name: str | None
    options: tuple[tuple[str, int | str], ...] = ()


class ResultRows(NamedTuple):
    """Rows sorted by (key index, window_start, window_end, number, revision); all arrays have one entry a row.

    key: int64, index into the keys of EventColumns
    window_start, window_end, emitted_at: int64 µs
    number: int64, place of a window among the windows of its key with the same start and end; else 0
    revision: int64 from 0; events, late_events: int64
    firing: int64 place in FIRINGS, the column `pane` of tables
    outputs: int64[aggregates, rows], one word per value, of the type that output_types says (float64:
        `.view(np.float64)`)
    null: bool[aggregates, rows]
    output_types: per aggregate "int64", "float64", "timestamp", "date" or "bool"
    kernels: by kernel, how many keys it replayed
    carried: for each key, int64 words from which another replay goes on; empty unless the rules have `carried`
    """

    key: np.ndarray
    window_start: np.ndarray
    window_end: np.ndarray
    number: np.ndarray
    revision: np.ndarray
    firing: np.ndarray
    emitted_at: np.ndarray
    events: np.ndarray
    late_events: np.ndarray
    outputs: np.ndarray
    null: np.ndarray
    output_types: tuple[str, ...]
    kernels: dict[str, int]
    carried: Sequence[np.ndarray] = ()

    def starting(self, low_us: int | None, high_us: int | None) -> "ResultRows":
        """Rows of windows that start from `low_us` on and before `high_us`."""
        if low_us is None and high_us is None:
            return self
        wanted = np.ones(len(self.key), bool) if low_us is None else self.window_start >= low_us
        wanted = wanted if high_us is None else wanted & (self.window_start < high_us)
        *arrays, output_types, kernels, carried = self
        return ResultRows(*(each[..., wanted] for each in arrays), output_types, kernels, carried)


def check_rules(rules: ReplayRules) -> None:
    """Raise WrongParameter for an unknown emit, a negative lateness or a stop word of another type."""
    if rules.emit not in EMITS:
        raise WrongParameter("emit", rules.emit, ", ".join(EMITS))
    for name, value in (("lateness", rules.lateness_us), ("allowed_lateness", rules.allowed_us)):
        require_whole(name, value, 0, LIMIT_US)
    stop = rules.limits.stop
    if stop is not None and not (isinstance(stop, np.ndarray) and stop.dtype == np.int64 and stop.shape == (1,)):
        raise WrongParameter("stop", stop, "None, or an int64 array of one word")


def check_ticks(ticks: PassTicks) -> PassTicks:
    """The staircase as int64. Raises BadInput unless it ascends."""
    tick_us = checked_times("tick", "pass step", ticks.tick_us)
    newest_us = checked_times("newest start", "pass step", ticks.newest_start_us)
    if len(tick_us) != len(newest_us):
        raise BadInput(f"{len(tick_us)} pass ticks but {len(newest_us)} newest starts")
    if (tick_us[1:] <= tick_us[:-1]).any() or (newest_us[1:] < newest_us[:-1]).any():
        raise BadInput("pass ticks must ascend, and their newest starts must not fall")
    return PassTicks(tick_us, newest_us)


def check_columns(columns: EventColumns, rules: ReplayRules, last: bool) -> EventColumns:
    """The columns as contiguous arrays of the right types; `last`: whether events last, so that their ends count.
    Raises BadInput naming the first event that breaks a rule."""
    starts = checked_times("start", "event", columns.start_us)
    arrivals = checked_times("arrival", "event", columns.arrival_us)
    events = len(starts)
    if len(arrivals) != events:
        raise BadInput(f"{events} starts but {len(arrivals)} arrivals")
    values, valid = checked_values(columns.values, columns.valid, events)
    offsets = checked_offsets(columns.key_offsets, events)
    falls = np.flatnonzero(arrivals[1:] < arrivals[:-1]) + 1
    within = falls[~np.isin(falls, offsets)]  # arrival may fall only from one key to the next
    if len(within):
        raise BadInput(
            f"arrival goes backwards within a key at event {int(within[0])}; sort events by (key, arrival, seq)"
        )
    if rules.complete_tick_us is not None and events and arrivals.max() > rules.complete_tick_us:
        raise BadInput(
            f"event {int(arrivals.argmax())} arrives at {int(arrivals.max())} µs, after the completing tick "
            f"{rules.complete_tick_us} µs"
        )
    ends = _checked_ends(columns, starts) if last else None
    return EventColumns(offsets, starts, arrivals, values, valid, ends, columns.labels)


def _checked_ends(columns: EventColumns, starts: np.ndarray) -> np.ndarray:
    ends = np.zeros(0, np.int64) if columns.end_us is None else checked_times("end", "event", columns.end_us)
    if columns.end_us is None or len(ends) != len(starts):
        found = "none" if columns.end_us is None else str(len(ends))
        raise BadInput(f"{len(starts)} starts but {found} ends; spanning windows need the ends of events")
    backwards = np.flatnonzero(ends < starts)
    if len(backwards):
        event = int(backwards[0])
        raise BadInput(f"event {event} ends at {int(ends[event])} µs, before its start at {int(starts[event])} µs")
    return ends
