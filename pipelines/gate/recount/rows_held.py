"""How many events a row of a window that depends on its key's other events can hold, by the times that it names.

    start   ├──┼──┼──┼──┼──┤   end
            1  1  1  1  2                of the two at the last time one may stand behind the window's last

Windows are runs of a key's events in order; where several start at a window's first or last time, the order of their
arrival says which are in it, and only a walk over all of the key's events where the window ends. So there are bounds,
which mostly are one number.

How many of the events before a place had arrived by a time: blocks of 1, 2, 4, … events are sorted by arrival; what
comes before a place is one block of each size at most.

    place 7 = 4 + 2 + 1     │ 0 1 2 3 │ 4 5 │ 6 │
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from windrow.pipelines.gate.recount.plain.ticks import Shape


@dataclass(frozen=True)
class OrderedEvents:
    """int64 arrays, one entry an event, in order of key and start."""

    keys: np.ndarray
    starts_us: np.ndarray
    arrivals_us: np.ndarray

    def place(self, keys: np.ndarray, times_us: np.ndarray) -> np.ndarray:
        """Of the first event of a key that starts at a time or later. O(log events) each."""
        known_us, codes = self._codes
        return np.searchsorted(codes, keys * (len(known_us) + 1) + np.searchsorted(known_us, times_us))

    @cached_property
    def _codes(self) -> tuple[np.ndarray, np.ndarray]:
        """The starts that there are, and of each event a number that says its key and which of these it has."""
        known_us, ranks = np.unique(self.starts_us, return_inverse=True)
        return known_us, self.keys * (len(known_us) + 1) + ranks

    def arrived(self, places: np.ndarray, by_us: np.ndarray) -> np.ndarray:
        """How many of the events before places had arrived by times. O(events · log² events)."""
        known = np.unique(self.arrivals_us)
        many = len(known) + 1
        ranks = np.searchsorted(known, self.arrivals_us)
        places, until = np.broadcast_arrays(places, np.searchsorted(known, by_us, "right"))
        numbers, found = np.arange(len(ranks)), np.zeros(places.shape, np.int64)
        for level in range(len(ranks).bit_length()):
            chosen = np.nonzero(places >> level & 1)
            if not len(chosen[0]):
                continue
            block = (places[chosen] >> (level + 1)) * 2
            codes = np.sort((numbers >> level) * many + ranks, kind="stable")
            found[chosen] += np.searchsorted(codes, block * many + until[chosen]) - (block << level)
        return found


class RowsToCount(NamedTuple):
    """int64 arrays, one entry a row of the run: what it is of, when it came, when its window's end was reached."""

    keys: np.ndarray
    starts_us: np.ndarray
    ends_us: np.ndarray
    emitted_us: np.ndarray
    reached_us: np.ndarray

    @property
    def by_us(self) -> np.ndarray:
        """By when an event of a row had come at all, and in time; for each of several places."""
        return np.stack((self.emitted_us, np.minimum(self.reached_us, self.emitted_us)))[:, np.newaxis]


class HeldBounds(NamedTuple):
    """int64 arrays, one entry a row: fewest and most events that it can hold, none where there is no such window;
    fewest and most of them that were late; and all that ever came between its times."""

    least: np.ndarray
    most: np.ndarray
    least_late: np.ndarray
    most_late: np.ndarray
    ever: np.ndarray

    def where(self, exists: np.ndarray) -> "HeldBounds":
        """None of the others."""
        return HeldBounds(*(np.where(exists, each, 0) for each in self))


def bounds(events: OrderedEvents, rows: RowsToCount, shape: Shape) -> HeldBounds:
    """Of windows that end 1 µs behind their last event. O(events · log² events + rows · log events)."""
    last_us = rows.ends_us - 1
    places = events.place(rows.keys, np.stack((rows.starts_us, rows.starts_us + 1, last_us, rows.ends_us)))
    known, in_time = events.arrived(places, rows.by_us)
    first, behind_first, last, behind_last = known
    fits = shape.length_us is None or rows.ends_us - rows.starts_us == shape.length_us
    exists = fits & (behind_last > last) & ((behind_first > first) | (not shape.from_first))
    surely, surely_in_time = _surely(known, shape), _surely(in_time, shape)
    # One at least of those at each end.
    least = surely + 1 + (shape.from_first & (rows.starts_us < last_us))
    most = behind_last - first
    most_late = np.zeros_like(most) if shape.never_late else most - (in_time[-1] - in_time[0])
    return HeldBounds(least, most, surely - surely_in_time, most_late, places[-1] - places[0]).where(exists)


def _surely(arrived: np.ndarray, shape: Shape) -> np.ndarray:
    """How many events are in a window whatever the order of arrival was, besides those at its ends."""
    first, behind_first, last, _ = arrived
    return np.maximum(last - (behind_first if shape.from_first else first), 0) * shape.all_between
