"""How many rows rolling windows make at least, before a replay starts.

    size 5; on time 1 2 3 4, then 2 comes again, late, and 3 with it at the same tick
    emit watermark: 4 rows on time, and 3 late ones, since 2 is in the windows 2, 3 and 4, and 3 in two of these

A window is there for each event time that a key has seen; so the windows that a late event changes are the times from
its own on that have been seen and passed. Of the events of one tick only the one that changes most is counted.
"""

from typing import NamedTuple

import numpy as np

from kernels.replay.clock import NEVER
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL, EMIT_WATERMARK
from kernels.windows._rows import ArrivingEvents
from kernels.windows._seen_times import SeenTimes


class KeyEvents(NamedTuple):
    """The events that a replay takes: their keys by number, and the watermark and the floor before each one's tick."""

    key: np.ndarray
    start_us: np.ndarray
    arrival_us: np.ndarray
    mark_us: np.ndarray
    floor_us: np.ndarray


def expected_rolling_rows(size_us: int, events: ArrivingEvents) -> int:
    """At least so many rows; only an upper limit of it where even that is below `most`. O(events), else
    O(events · log events)."""
    if len(events.start_us) == 0 or len(events.ticks_us) == 0:
        return 0
    taken = _taken(size_us, events)
    late = np.flatnonzero((taken.start_us < taken.mark_us) & (taken.start_us >= taken.floor_us))
    if events.emit != EMIT_WATERMARK:
        late = late[:0]
    longest = int(np.diff(events.key_offsets).max())
    if len(taken.key) + len(late) * longest <= events.most:
        return len(taken.key) + len(late) * longest
    if events.emit == EMIT_ARRIVAL:
        return _changed_youngest(size_us, taken)
    return _passed(taken, events) + (_changed_late(size_us, taken, late) if len(late) else 0)


def _taken(size_us: int, events: ArrivingEvents) -> KeyEvents:
    key = np.repeat(np.arange(len(events.key_offsets) - 1), np.diff(events.key_offsets))
    marks_us = np.concatenate(([NEVER], events.marks_us))
    mark_us = marks_us[np.searchsorted(events.ticks_us, events.arrival_us)]
    floor_us = np.where(mark_us == NEVER, NEVER, mark_us - events.allowed_us)
    is_taken = events.start_us > floor_us - size_us
    return KeyEvents(*(each[is_taken] for each in (key, events.start_us, events.arrival_us, mark_us, floor_us)))


def _passed(taken: KeyEvents, events: ArrivingEvents) -> int:
    """The windows that the watermark passes, or the floor: one row each."""
    is_final = events.emit == EMIT_FINAL
    comes_before = taken.start_us >= (taken.floor_us if is_final else taken.mark_us)
    last_us = int(events.marks_us[-1]) - (events.allowed_us if is_final else 0)
    row = np.flatnonzero(comes_before & (taken.start_us < last_us))
    return len(np.unique(np.stack((taken.key[row], taken.start_us[row])), axis=1).T)


def _changed_late(size_us: int, taken: KeyEvents, late: np.ndarray) -> int:
    """For each key and tick, the windows that one of its late events changes."""
    key, start_us, arrival_us = taken.key[late], taken.start_us[late], taken.arrival_us[late]
    seen = SeenTimes(taken.key, taken.start_us, taken.arrival_us)
    changed, _ = seen.between(key, start_us, np.minimum(start_us + size_us, taken.mark_us[late]), arrival_us)
    return int(np.maximum.reduceat(changed, _first_of_bursts(key, arrival_us)).sum())


def _changed_youngest(size_us: int, taken: KeyEvents) -> int:
    """The bursts that change the window of their key's youngest time, which isn't final."""
    first = _first_of_bursts(taken.key, taken.arrival_us)
    youngest_us = np.maximum.reduceat(taken.start_us, first)
    key, floor_us, rows = taken.key[first], taken.floor_us[first], 0
    of_key = np.flatnonzero(np.diff(key, prepend=-1))
    for begin, end in zip(of_key, [*of_key[1:], len(key)], strict=True):
        so_far_us = np.maximum.accumulate(youngest_us[begin:end])
        has_row = (so_far_us >= floor_us[begin:end]) & (youngest_us[begin:end] > so_far_us - size_us)
        rows += int(has_row.sum())
    return rows


def _first_of_bursts(key: np.ndarray, arrival_us: np.ndarray) -> np.ndarray:
    """Where the events of another key or tick begin."""
    return np.flatnonzero((np.diff(key, prepend=-1) != 0) | (np.diff(arrival_us, prepend=NEVER) != 0))
