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
from kernels.runtime.fields import Count, Microseconds, Place, Pointer
from kernels.runtime.memory import entry, inner
from kernels.runtime.struct import BYTE, Struct


class KeyEvents(NamedTuple):
    """The events that a replay takes: their keys by number, and the watermark and the floor before each one's tick."""

    key: np.ndarray
    start_us: np.ndarray
    arrival_us: np.ndarray
    mark_us: np.ndarray
    floor_us: np.ndarray


def expected_rolling_rows(size_us: int, events: ArrivingEvents) -> int:
    """At least so many rows; but where an upper limit is below `most`, that. O(events · log events).

    The upper limits come first: what has been seen by each late event takes sorts of all.
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
    until_us = np.minimum(taken.start_us[late] + size_us, taken.mark_us[late])
    changed, _ = seen_from(late, until_us, taken.key, taken.start_us, taken.arrival_us)
    return int(np.maximum.reduceat(changed, _first_of_runs(taken.key[late], taken.arrival_us[late])).sum())


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
    is_first = np.ones(len(columns[0]), bool)
    is_first[1:] = np.any([each[1:] != each[:-1] for each in columns], axis=0)
    return np.flatnonzero(is_first)


class SeenTimes(Struct):
    """Events by key and order of arrival, the distinct pairs of key and time in order. places: of each event's pair;
    highs: up to which pair an event asks, 0 if it asks nothing; counts, lasts: the answers; tree: counts of seen pairs
    (Fenwick, 1994)."""

    keys: Pointer(Place)
    arrivals: Pointer(Microseconds)
    places: Pointer(Place)
    highs: Pointer(Place)
    counts: Pointer(Count)
    lasts: Pointer(Place)
    pairs: Count
    is_seen: Pointer(BYTE)
    tree: Pointer(Count)


@inner
def _see(seen, place):
    if seen.is_seen[place] == 0:
        seen.is_seen[place] = 1
        node = place + 1
        while node <= seen.pairs:
            seen.tree[node] += 1
            node += node & -node


@inner
def _count_below(seen, place):
    count = 0
    while place > 0:
        count += seen.tree[place]
        place &= place - 1
    return count


@inner
def _nth_seen(seen, nth):
    """Place of the nth that was seen, from 1 on."""
    place, stride = 0, 1
    while 2 * stride <= seen.pairs:
        stride *= 2
    while stride > 0:
        if place + stride <= seen.pairs and seen.tree[place + stride] < nth:
            place += stride
            nth -= seen.tree[place]
        stride >>= 1
    return place


@entry
def count_seen(seen, events):
    """Answer all, tick by tick; the address of a SeenTimes. O(events · log pairs)."""
    seen, row = SeenTimes(seen), 0
    while row < events:
        first = row
        while row < events and seen.keys[row] == seen.keys[first] and seen.arrivals[row] == seen.arrivals[first]:
            _see(seen, seen.places[row])
            row += 1
        for asking in range(first, row):
            if seen.highs[asking] > seen.places[asking]:
                below = _count_below(seen, seen.highs[asking])
                seen.counts[asking] = below - _count_below(seen, seen.places[asking])
                seen.lasts[asking] = _nth_seen(seen, below)


def seen_from(
    row: np.ndarray, until_us: np.ndarray, key: np.ndarray, start_us: np.ndarray, arrival_us: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Of the events at some rows: how many distinct times of its key, from its own on and before `until_us`, had been
    seen by its tick, and the last of them. key, start_us, arrival_us: of all events, by key and order of arrival.

    Expanding each late event into its windows is simpler, and was quadratic for long windows over busy keys.
    """
    times = np.unique(start_us)

    def pair(key: np.ndarray, time_us: np.ndarray) -> np.ndarray:
        """A word that sorts as the two."""
        return key * (len(times) + 1) + np.searchsorted(times, time_us)

    pairs, places = np.unique(pair(key, start_us), return_inverse=True)
    counts, lasts, highs = np.zeros((3, len(key)), np.int64)
    highs[row] = np.searchsorted(pairs, pair(key[row], until_us))
    columns = {"keys": key, "arrivals": arrival_us, "places": places, "highs": highs, "counts": counts, "lasts": lasts}
    made = {name: np.ascontiguousarray(each, np.int64) for name, each in columns.items()}
    tree, is_seen = np.zeros(len(pairs) + 1, np.int64), np.zeros(len(pairs), np.bool_)
    seen = SeenTimes.make(pairs=len(pairs), tree=tree, is_seen=is_seen, **made)
    count_seen(seen.address, len(key))
    return counts[row], times[pairs[lasts[row]] % (len(times) + 1)]
