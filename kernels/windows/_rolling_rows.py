"""How many rows rolling windows make at least, before a replay starts.

    size 5; on time 1 2 3 4, then 2 comes again, late, and 3 with it at the same tick
    emit watermark: 4 rows on time, and 3 late ones, since 2 is in the windows 2, 3 and 4, and 3 in two of these

A window is there for each event time that a key has seen; so the windows that a late event changes are the times from
its own on that have been seen and passed. Of the events of one tick only the one that changes most is counted.
"""

from typing import NamedTuple

import numpy as np

from kernels.replay.clock import NEVER
from kernels.replay.in_time import keys_in_time
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
    """At least so many rows; but where an upper limit is below `most`, that. O(events · log events).

    The upper limits come first: what has been seen by each late event takes 3 s of a million events (SeenTimes), as
    long as their replay.
    """
    if len(events.start_us) == 0 or len(events.ticks_us) == 0:
        return 0
    if len(events.start_us) <= events.most and not _has_late(events):
        return len(events.start_us)
    taken = _taken(size_us, events)
    late = np.flatnonzero((taken.start_us < taken.mark_us) & (taken.start_us >= taken.floor_us))
    if events.emit != EMIT_WATERMARK:
        late = late[:0]
    most = len(taken.key) + len(late) * int(np.diff(events.key_offsets).max())
    if most > events.most and len(late):
        most = len(taken.key) + _within_reach(size_us, taken, late)
    if most <= events.most:
        return most
    if events.emit == EMIT_ARRIVAL:
        return _changed_youngest(size_us, taken)
    return _passed(taken, events) + (_changed_late(size_us, taken, late) if len(late) else 0)


def _has_late(events: ArrivingEvents) -> bool:
    """Whether late events may have rows of their own. O(events), 3 ns each."""
    if events.emit != EMIT_WATERMARK:
        return False
    columns = (events.key_offsets, events.start_us, events.arrival_us, events.ticks_us, events.marks_us)
    return not keys_in_time(*columns).all()


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
    key, start_us = taken.key[row], taken.start_us[row]
    order = np.lexsort((start_us, key))
    return len(_first_of_bursts(key[order], start_us[order]))


def _within_reach(size_us: int, taken: KeyEvents, late: np.ndarray) -> int:
    """The events of its key, seen or not, whose windows each late event may change."""
    late_key, from_us = taken.key[late], taken.start_us[late]
    until_us, events = np.minimum(from_us + size_us, taken.mark_us[late]), 0
    for key in np.unique(late_key):
        of_key, late_of_key = (slice(*np.searchsorted(keys, (key, key + 1))) for keys in (taken.key, late_key))
        times = np.sort(taken.start_us[of_key], kind="stable")  # a tenth of the time where they are nearly in order
        for bound_us, sign in ((until_us, 1), (from_us, -1)):
            events += sign * int(np.searchsorted(times, bound_us[late_of_key]).sum())
    return events


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


def _first_of_bursts(key: np.ndarray, time_us: np.ndarray) -> np.ndarray:
    """Where the events of another key or time begin."""
    is_first = np.ones(len(key), bool)
    is_first[1:] = (key[1:] != key[:-1]) | (time_us[1:] != time_us[:-1])
    return np.flatnonzero(is_first)
