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
        many = len(self._known_starts_us) + 1
        return np.searchsorted(self._codes, keys * many + np.searchsorted(self._known_starts_us, times_us))

    @cached_property
    def _known_starts_us(self) -> np.ndarray:
        return np.unique(self.starts_us)

    @cached_property
    def _codes(self) -> np.ndarray:
        known = self._known_starts_us
        return self.keys * (len(known) + 1) + np.searchsorted(known, self.starts_us)

    def arrived(self, places: np.ndarray, by_us: np.ndarray) -> np.ndarray:
        """How many of the events before a place had arrived by a time. O(events · log² events)."""
        known = np.unique(self.arrivals_us)
        many = len(known) + 1
        ranks, until = np.searchsorted(known, self.arrivals_us), np.searchsorted(known, by_us, "right")
        numbers, found = np.arange(len(ranks)), np.zeros(len(places), np.int64)
        for level in range(len(ranks).bit_length()):
            chosen = np.flatnonzero(places >> level & 1)
            if not len(chosen):
                continue
            block = (places[chosen] >> (level + 1)) * 2
            codes = np.sort((numbers >> level) * many + ranks, kind="stable")
            found[chosen] += np.searchsorted(codes, block * many + until[chosen]) - (block << level)
        return found
