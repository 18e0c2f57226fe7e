"""What columns, ticks and rules of a replay must be; each failure names the value and the event."""

import numpy as np

from kernels.columns import check_offsets, check_times, checked_values
from kernels.replay.types import EventColumns, PassTicks, ReplayRules
from schemas.errors import BadInput, WrongParameter

LONGEST_US = 1 << 61
"""The longest lateness."""


def check_rules(rules: ReplayRules, emits: tuple[str, ...]) -> None:
    """Raise WrongParameter for an unknown emit, a negative lateness or a stop word of another type."""
    if rules.emit not in emits:
        raise WrongParameter("emit", rules.emit, ", ".join(emits))
    for name, value in (("lateness", rules.lateness_us), ("allowed_lateness", rules.allowed_us)):
        if not 0 <= value <= LONGEST_US:
            raise WrongParameter(name, value, f"0 to {LONGEST_US} µs")
    stop = rules.limits.stop
    if stop is not None and not (isinstance(stop, np.ndarray) and stop.dtype == np.int64 and stop.shape == (1,)):
        raise WrongParameter("stop", stop, "None, or an int64 array of one word")


def check_ticks(ticks: PassTicks) -> None:
    """Raise BadInput unless the staircase ascends."""
    if len(ticks.tick_us) != len(ticks.newest_start_us):
        raise BadInput(f"{len(ticks.tick_us)} pass ticks but {len(ticks.newest_start_us)} newest starts")
    tick_us, newest_us = (np.asarray(array, np.int64) for array in ticks)
    if (tick_us[1:] <= tick_us[:-1]).any() or (newest_us[1:] < newest_us[:-1]).any():
        raise BadInput("pass ticks must ascend, and their newest starts must not fall")
    check_times("tick", "pass step", tick_us)
    check_times("newest start", "pass step", newest_us)


def check_columns(columns: EventColumns, rules: ReplayRules, last: bool) -> EventColumns:
    """The columns as contiguous arrays of the right types; `last`: whether events last, so that their ends count.
    Raises BadInput naming the first event that breaks a rule."""
    offsets, starts, arrivals = (np.ascontiguousarray(array, np.int64) for array in columns[:3])
    events = len(starts)
    if len(arrivals) != events:
        raise BadInput(f"{events} starts but {len(arrivals)} arrivals")
    values, valid = checked_values(columns.values, columns.valid, events)
    check_offsets(offsets, events)
    check_times("start", "event", starts)
    check_times("arrival", "event", arrivals)
    _check_order(offsets, arrivals)
    if rules.complete_tick_us is not None and events and arrivals.max() > rules.complete_tick_us:
        raise BadInput(
            f"event {int(arrivals.argmax())} arrives at {int(arrivals.max())} µs, after the completing tick "
            f"{rules.complete_tick_us} µs"
        )
    ends = _checked_ends(columns, starts) if last else None
    return EventColumns(offsets, starts, arrivals, values, valid, ends, columns.labels)


def _checked_ends(columns: EventColumns, starts: np.ndarray) -> np.ndarray:
    if columns.end_us is None or len(columns.end_us) != len(starts):
        found = "none" if columns.end_us is None else str(len(columns.end_us))
        raise BadInput(f"{len(starts)} starts but {found} ends; spanning windows need the ends of events")
    ends = np.ascontiguousarray(columns.end_us, np.int64)
    check_times("end", "event", ends)
    backwards = np.flatnonzero(ends < starts)
    if len(backwards):
        event = int(backwards[0])
        raise BadInput(f"event {event} ends at {int(ends[event])} µs, before its start at {int(starts[event])} µs")
    return ends


def _check_order(offsets: np.ndarray, arrivals: np.ndarray) -> None:
    """Arrival may fall only from one key to the next."""
    falls = np.flatnonzero(arrivals[1:] < arrivals[:-1]) + 1
    within = falls[~np.isin(falls, offsets)]
    if len(within):
        raise BadInput(
            f"arrival goes backwards within a key at event {int(within[0])}; sort events by (key, arrival, seq)"
        )
