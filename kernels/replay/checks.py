"""What columns, ticks and rules of a replay must be; each failure names the value and the event."""

import numpy as np

from kernels.columns import checked_offsets, checked_times, checked_values, require_whole
from kernels.replay.types import EventColumns, PassTicks, ReplayRules
from schemas.errors import BadInput, WrongParameter

LONGEST_US = 1 << 61
"""The longest lateness."""


def check_rules(rules: ReplayRules, emits: tuple[str, ...]) -> None:
    """Raise WrongParameter for an unknown emit, a negative lateness or a stop word of another type."""
    if rules.emit not in emits:
        raise WrongParameter("emit", rules.emit, ", ".join(emits))
    for name, value in (("lateness", rules.lateness_us), ("allowed_lateness", rules.allowed_us)):
        require_whole(name, value, 0, LONGEST_US)
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
    _check_order(offsets, arrivals)
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


def _check_order(offsets: np.ndarray, arrivals: np.ndarray) -> None:
    """Arrival may fall only from one key to the next."""
    falls = np.flatnonzero(arrivals[1:] < arrivals[:-1]) + 1
    within = falls[~np.isin(falls, offsets)]
    if len(within):
        raise BadInput(
            f"arrival goes backwards within a key at event {int(within[0])}; sort events by (key, arrival, seq)"
        )
