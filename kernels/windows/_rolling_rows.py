"""How many rows rolling windows make at least, before a replay starts.

    size 5; on time 1 2 3 4, then 2 comes again, late, and 3 with it at the same tick
    emit watermark: 4 rows on time, and 3 late ones, since 2 is in the windows 2, 3 and 4, and 3 in two of these

A window is there for each event time that a key has seen; so the windows that a late event changes are the times from
its own on that have been seen and passed. Of the events of one tick only the one that changes most is counted.
"""

from typing import NamedTuple

import numpy as np

from kernels.replay.clock import NEVER
from kernels.replay.expected_rows import ArrivingEvents
from kernels.replay.in_time import keys_in_time
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL, EMIT_WATERMARK


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
    if len(events.start_us) <= events.most:
        columns = (events.key_offsets, events.start_us, events.arrival_us, events.ticks_us, events.marks_us)
        if events.emit != EMIT_WATERMARK or keys_in_time(*columns).all():  # no late event has rows of its own
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
    return len(_first_of_runs(key[order], start_us[order]))


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
    return int(np.maximum.reduceat(changed, _first_of_runs(key, arrival_us)).sum())


def _changed_youngest(size_us: int, taken: KeyEvents) -> int:
    """The bursts that change the window of their key's youngest time, which isn't final."""
    first = _first_of_runs(taken.key, taken.arrival_us)
    youngest_us = np.maximum.reduceat(taken.start_us, first)
    key, floor_us, rows = taken.key[first], taken.floor_us[first], 0
    of_key = np.flatnonzero(np.diff(key, prepend=-1))
    for begin, end in zip(of_key, [*of_key[1:], len(key)], strict=True):
        so_far_us = np.maximum.accumulate(youngest_us[begin:end])
        has_row = (so_far_us >= floor_us[begin:end]) & (youngest_us[begin:end] > so_far_us - size_us)
        rows += int(has_row.sum())
    return rows


def _first_of_runs(*columns: np.ndarray) -> np.ndarray:
    """Where rows begin that differ from those before."""
    is_first = np.ones(len(columns[0]), bool)
    is_first[1:] = np.any([each[1:] != each[:-1] for each in columns], axis=0)
    return np.flatnonzero(is_first)


class SeenTimes:
    """How many distinct event times of a key in an interval had been seen by a given tick, and the last of them.

    A wavelet matrix (Claude, Navarro and Ordóñez, 2015) over the ranks of the times, in order of first sight: a prefix
    of it is what had been seen by a tick. Both questions take one step per bit of the rank, for all questions at once.
    Expanding each late event into its windows is simpler, and was quadratic for long windows over busy keys.

    O(n · log n) to make, 4 bytes per time and bit of n.
    """

    def __init__(self, number: np.ndarray, start_us: np.ndarray, arrival_us: np.ndarray):
        self.times = np.unique(start_us)
        self.ticks = np.unique(arrival_us)
        pair = self._place(self.times, number, start_us)
        order = np.lexsort((arrival_us, pair))
        first = order[_first_of_runs(pair[order])]
        self.pairs = pair[first]  # ascending by (key, time)
        sight = self._place(self.ticks, number[first], arrival_us[first])
        by_sight = np.argsort(sight, kind="stable")
        self.sights = sight[by_sight]  # ascending by (key, tick of first sight)
        self.bits = max(1, int(len(first)).bit_length())
        self.levels = list(_levels(by_sight, self.bits))

    def between(
        self, number: np.ndarray, from_us: np.ndarray, until_us: np.ndarray, tick_us: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Per question: how many times of the key in [from, until) were seen by the tick, and the last of them in µs.

        Each question's own interval holds at least one.
        """
        low = np.searchsorted(self.sights, self._place(self.ticks, number, np.full_like(number, self.ticks[0])))
        high = np.searchsorted(self.sights, self._place(self.ticks, number, tick_us), side="right")
        below_from = self._below(low, high, np.searchsorted(self.pairs, self._place(self.times, number, from_us)))
        below_until = self._below(low, high, np.searchsorted(self.pairs, self._place(self.times, number, until_us)))
        last = self._smallest(low, high, below_until - 1)
        return below_until - below_from, self.times[self.pairs[last] % (len(self.times) + 1)]

    @staticmethod
    def _place(known: np.ndarray, number: np.ndarray, values: np.ndarray) -> np.ndarray:
        """(key, rank among the known values) as one integer that sorts like the pair."""
        return number * (len(known) + 1) + np.searchsorted(known, values)

    def _below(self, low: np.ndarray, high: np.ndarray, rank: np.ndarray) -> np.ndarray:
        """How many of the entries [low, high) are below the rank."""
        found = np.zeros_like(low)
        for bit, zeros_before in self.levels:
            one = (rank >> bit & 1).astype(bool)
            low_zeros, high_zeros = zeros_before[low], zeros_before[high]
            found += np.where(one, high_zeros - low_zeros, 0)
            low = np.where(one, zeros_before[-1] + low - low_zeros, low_zeros)
            high = np.where(one, zeros_before[-1] + high - high_zeros, high_zeros)
        return found

    def _smallest(self, low: np.ndarray, high: np.ndarray, nth: np.ndarray) -> np.ndarray:
        """The n-th smallest (from 0) of the entries [low, high)."""
        found = np.zeros_like(low)
        for bit, zeros_before in self.levels:
            low_zeros, high_zeros = zeros_before[low], zeros_before[high]
            zeros = high_zeros - low_zeros
            one = nth >= zeros
            found |= one.astype(np.int64) << bit
            nth = np.where(one, nth - zeros, nth)
            low = np.where(one, zeros_before[-1] + low - low_zeros, low_zeros)
            high = np.where(one, zeros_before[-1] + high - high_zeros, high_zeros)
        return found


def _levels(entries: np.ndarray, bits: int):
    """From the highest bit down: (bit, zeros before each place), each level stably sorted by the bits above."""
    for bit in range(bits - 1, -1, -1):
        zero = entries >> bit & 1 == 0
        yield bit, np.concatenate(([0], np.cumsum(zero))).astype(np.int32)  # half the memory; 2**31 rows are the limit
        entries = np.concatenate((entries[zero], entries[~zero]))
