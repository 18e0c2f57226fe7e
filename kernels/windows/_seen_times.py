"""How many distinct event times of a key in an interval had been seen by a given tick, and the last of them.

A wavelet matrix (Claude, Navarro and Ordóñez, 2015) over the ranks of the times, in order of first sight: a prefix of
it is what had been seen by a tick. Both questions take one step per bit of the rank, for all questions at once.
Expanding each late event into its windows is simpler, and was quadratic for long windows over busy keys.
"""

import numpy as np


class SeenTimes:
    """The distinct times of each key with the tick that first brought them.

    O(n · log n) to make, 4 bytes per time and bit of n.
    """

    def __init__(self, number: np.ndarray, start_us: np.ndarray, arrival_us: np.ndarray):
        self.times = np.unique(start_us)
        self.ticks = np.unique(arrival_us)
        pair = self._place(self.times, number, start_us)
        order = np.lexsort((arrival_us, pair))
        is_first = np.ones(len(order), dtype=bool)
        is_first[1:] = pair[order[1:]] != pair[order[:-1]]
        first = order[is_first]
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
