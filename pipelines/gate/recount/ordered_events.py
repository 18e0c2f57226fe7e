"""Events in order of key and start, and how many of a stretch of them had arrived by a time.

Blocks of 1, 2, 4, … events are sorted by arrival; what comes before a place is one block of each size at most:

    place 7 = 4 + 2 + 1     │ 0 1 2 3 │ 4 5 │ 6 │
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True)
class OrderedEvents:
    """int64 arrays, one entry an event: `times_us` are its key's and its own start, in rising order."""

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
        """How many of the events before each place had arrived by a time, one for each column of places.
        O(events · log² events)."""
        known = np.unique(self.arrivals_us)
        many = len(known) + 1
        ranks = np.searchsorted(known, self.arrivals_us)
        until = np.broadcast_to(np.searchsorted(known, by_us, "right"), places.shape)
        numbers, found = np.arange(len(ranks)), np.zeros(places.shape, np.int64)
        for level in range(len(ranks).bit_length()):
            chosen = np.nonzero(places >> level & 1)
            if not len(chosen[0]):
                continue
            block = (places[chosen] >> (level + 1)) * 2
            codes = np.sort((numbers >> level) * many + ranks, kind="stable")
            found[chosen] += np.searchsorted(codes, block * many + until[chosen]) - (block << level)
        return found
