"""Which of some rows is the newest at each probe: rows are valid for a while each, and a newer one hides an older.

rank 2            ├────┤
rank 1      ├──────────────┤            from the newest rank down, each row takes the probes that no other has:
rank 0   ├────────┤                     a probe is looked at once, as taken ones are jumped over
probes   · 0  1  1  2  2   1  ·
"""

import numpy as np

from windrow.kernels.runtime.memory import address_of, entry, inner
from windrow.kernels.runtime.struct import words_at

NONE = -1


@entry
def _take(firsts, ends, rows, found, next_free):
    firsts, ends, found, next_free = words_at(firsts), words_at(ends), words_at(found), words_at(next_free)
    for row in range(rows):
        probe = _free_from(next_free, firsts[row])
        while probe < ends[row]:
            found[probe], next_free[probe] = row, probe + 1
            probe = _free_from(next_free, probe + 1)


@inner
def _free_from(next_free, probe):
    """The first probe from one on that no row has; halves the way there for the next one that asks."""
    while next_free[probe] != probe:
        next_free[probe] = next_free[next_free[probe]]
        probe = next_free[probe]
    return probe


def newest_rows(firsts: np.ndarray, ends: np.ndarray, probes: int) -> np.ndarray:
    """int64[probes]: the first of the rows, given newest first, that holds the probe; −1 where none does. firsts, ends:
    int64[rows], row r holds the probes [firsts[r], ends[r]). Amortised O(rows + probes · log probes)."""
    found = np.full(probes, NONE, np.int64)
    next_free = np.arange(probes + 1, dtype=np.int64)
    firsts, ends = (np.ascontiguousarray(each, np.int64) for each in (firsts, ends))
    _take(*map(address_of, (firsts, ends)), len(firsts), *map(address_of, (found, next_free)))
    return found
