"""Rolling windows: number u is (u − size, u], as [u − size + 1 µs, u + 1 µs), for every event time u that the key has
seen.

    size 5, events at 1, 4, 7     window 1: (-4, 1]   window 4: (-1, 4]   window 7: (2, 7]
    closed on the left            window 1: [-4, 1)   window 4: [-1, 4)   window 7: [2, 7)

u is in the windows u … u + size − 1, or u + 1 … u + size. Which of them exist is known by the replay only.
"""

import numpy as np

from windrow.kernels.bounds import made_window, require_length
from windrow.kernels.bounds.rolling import RollingWindow, bounds
from windrow.kernels.replay.late import Late
from windrow.kernels.replay.numbered.points import rolling_placement
from windrow.kernels.replay.types import WindowSpec
from windrow.kernels.replay.window_kind import WindowKind
from windrow.kernels.runtime import rank_counts
from windrow.kernels.runtime.fields import Count, Microseconds, Place, Pointer, Word
from windrow.kernels.runtime.memory import entry, inner
from windrow.kernels.runtime.struct import BYTE, Struct

_add = inner(rank_counts.add)


class RollingKind(WindowKind):
    """Windows at event times."""

    keeps_events = True
    late_needs_later_events = True
    placement = staticmethod(rolling_placement)

    def follows_from_own_events(self, emit):
        """With emit arrival only a key's youngest window has rows."""
        return emit != "arrival"

    def spec(self, window, starts_us=None):
        return WindowSpec("rolling", window.size_us, parameters=(window.beyond_us,))

    def longest_us(self, window):
        """To the event that a window is named after, whether it holds it or not."""
        return window.size_us + 1

    def make(self, spec, extent):
        require_length("size", spec.size_us)
        [beyond] = spec.parameters or (1,)
        return made_window(RollingWindow, bounds(), size=spec.size_us, beyond=beyond)

    def late(self, window, arrived):
        """The windows of an event are those of the times in [start, start + size) that the key has seen by the event's
        own tick, whether or not the event that brought them was too late itself: its own is the first of them, also
        where it doesn't hold the event; then the last is that of start + size.
        O(events · log events)."""
        beyond_us = window.beyond_us
        row = (arrived.start_us + beyond_us <= arrived.reached_us).nonzero()[0]
        if len(row) == 0:
            return Late.of_nothing()
        start_us, to_start = arrived.start_us[row], beyond_us - window.size_us
        until_us = (start_us + window.size_us).clip(max=arrived.reached_us[row]) + (1 - beyond_us)
        missed, last_us = seen_from(row, until_us, arrived.key, arrived.start_us, arrived.arrival_us)
        late_by_us = arrived.watermark_us[row] - (start_us + beyond_us)
        return Late.of(row, start_us + to_start, last_us + to_start, missed, late_by_us)


class SeenTimes(Struct):
    """Events by key and order of arrival, the distinct pairs of key and time in order. different, height, values,
    memory: of pairs that were seen, as kernels/runtime/rank_counts.py has them, a value being a pair's time.

    places: of each event's pair; is_first: whether no event brought it before; highs: up to which pair an event asks, 0
    if it asks nothing; counts, lasts: the answers
    """

    different: Count
    height: Count
    values: Pointer(Word)
    memory: Pointer(Word)
    keys: Pointer(Place)
    arrivals: Pointer(Microseconds)
    places: Pointer(Place)
    is_first: Pointer(BYTE)
    highs: Pointer(Place)
    counts: Pointer(Count)
    lasts: Pointer(Microseconds)


@entry
def count_seen(seen, events):
    """Answer all, tick by tick; the address of a SeenTimes. O(events · log pairs)."""
    seen, row = SeenTimes(seen), 0
    while row < events:
        first = row
        while row < events and seen.keys[row] == seen.keys[first] and seen.arrivals[row] == seen.arrivals[first]:
            if seen.is_first[row] == 1:
                _add(seen, seen.places[row])
            row += 1
        for asking in range(first, row):
            if seen.highs[asking] > seen.places[asking]:
                below = rank_counts.count_below(seen, seen.highs[asking])
                seen.counts[asking] = below - rank_counts.count_below(seen, seen.places[asking])
                seen.lasts[asking] = rank_counts.value_at(seen, below)


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

    pairs, firsts, places = np.unique(pair(key, start_us), return_index=True, return_inverse=True)
    counts, lasts, highs = np.zeros((3, len(key)), np.int64)
    highs[row] = np.searchsorted(pairs, pair(key[row], until_us))
    is_first = np.zeros(len(key), np.bool_)
    is_first[firsts] = True
    columns = {"keys": key, "arrivals": arrival_us, "places": places, "highs": highs, "values": start_us[firsts]}
    seen = SeenTimes.make(
        different=len(pairs),
        height=1 << (len(pairs) - 1).bit_length(),
        memory=np.zeros(len(pairs) + 1, np.int64),
        is_first=is_first,
        counts=counts,
        lasts=lasts,
        **{name: np.ascontiguousarray(each, np.int64) for name, each in columns.items()},
    )
    count_seen(seen.address, len(key))
    return counts[row], lasts[row]


KIND = RollingKind()
