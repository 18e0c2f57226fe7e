"""How many rows some events make at least, before a replay starts: so that one that can't end is refused, not begun.

    events at 0 and 7, windows of 10 by 2:  windows -4 … 0 hold the first, -1 … 3 the second.
    emit watermark: 8 windows, a row each when the watermark passes them.  emit arrival: 5 + 5 rows.

It follows from the bounds of windows, without a kernel. Too few are counted where late events fill a gap that younger
ones left, never too many; what it missed, the budget of rows (replay/rows.py) finds while the replay runs.
"""

import numpy as np

from windrow.kernels.bounds import KernelWindow, each_of
from windrow.kernels.columns import LIMIT_US
from windrow.kernels.replay.clock import NEVER
from windrow.kernels.replay.types import EventColumns, ReplayRules


def expected_rows(
    window: KernelWindow, columns: EventColumns, steps: tuple[np.ndarray, np.ndarray], rules: ReplayRules, most: int
) -> int:
    """At least so many rows, or so many windows to put an event that lasts into; only an upper limit of that where even
    this is below `most`. steps: the ticks and the watermarks. O(1), else O(events · log events)."""
    starts, arrivals, emit = columns.start_us, columns.arrival_us, rules.emit
    if len(starts) == 0:
        return 0
    lasts = starts if columns.end_us is None else np.maximum(columns.end_us - 1, starts)
    low, high, keys = int(starts.min()), int(lasts.max()), len(columns.key_offsets) - 1
    # Over all times, for each key, or for each event where each may have rows of its own.
    upper = max(0, window.last_start_until(window, high) - window.first_end_after(window, low) + 1)
    upper *= len(starts) if emit == "arrival" else keys
    if upper <= most:
        return upper

    def end_after(times):
        return each_of(window, "first_end_after", np.clip(times, low, LIMIT_US))

    first, last = end_after(starts), each_of(window, "last_start_until", lasts)
    longest = 0 if columns.end_us is None else int((last - first).max()) + 1  # one call puts an event into all of them
    if rules.rows_from_us is not None:
        last[arrivals < rules.rows_from_us] = NEVER
    upper = np.maximum(last - first + 1, 0).sum(dtype=np.float64)
    if max(upper, longest) <= most:  # most replays of many keys end here: all below took as long as the replay
        return int(upper)
    key = np.repeat(np.arange(keys), np.diff(columns.key_offsets))
    met = 0 if columns.end_us is None else max(longest, _distinct(key, first, last))
    marks = np.concatenate(([NEVER], steps[1]))
    watermark = marks[np.searchsorted(steps[0], arrivals)]
    first = np.maximum(first, end_after(np.maximum(watermark, NEVER + rules.allowed_us) - rules.allowed_us))
    # What the watermark had passed has a row for each burst, the rest one when it passes.
    passed = {"final": first, "watermark": np.maximum(first, end_after(watermark)), "arrival": last + 1}[emit]
    burst = np.cumsum((np.diff(key, prepend=-1) != 0) | (np.diff(arrivals, prepend=0) != 0))
    [beyond] = end_after(marks[-1:] - (rules.allowed_us if emit == "final" else 0))
    rows = _distinct(burst, first, np.minimum(last, passed - 1)) + _distinct(key, passed, np.minimum(last, beyond - 1))
    return max(rows, met)


def _distinct(group: np.ndarray, first: np.ndarray, last: np.ndarray) -> int:
    """How many windows first … last some events have, each counted once in a group."""
    held = first <= last
    edges, change = np.concatenate((first[held], last[held] + 1)), np.repeat((1, -1), held.sum())
    order = np.lexsort((edges, np.tile(group[held], 2)))
    holding = np.cumsum(change[order])[:-1]
    return int(np.diff(edges[order])[holding > 0].sum(dtype=np.float64))
