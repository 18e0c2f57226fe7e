"""Calendar windows: days run from local midnight to local midnight, 23, 24 or 25 hours (semantics §2).

Starts are the cuts of the days: midnight + j·slide of elapsed time while that is inside the day, or, for a
slide of whole days, the midnights of the days origin + i·slide. A window of n whole days that starts e after the
midnight of day D ends e after the midnight of D + n, at most at the end of that day. A window of a part of a day
ends as many cuts on as slides fit into its size, and the rest of the size after that, at most at the next cut; if
the slide is whole days, it ends after its size, at most at the end of its day. Window 0 is the first cut given.

Block, after the first six words: address of midnights, number of them − 1, address of the cuts before each day
(one more than days), kind of end, its length (days, cuts or µs), the rest of the size, and the most windows that
one time can lie in.
"""

import numpy as np

from kernels.memory import inner, load, not_inlined
from schemas.errors import WrongParameter

DAY_US = 86_400_000_000
SIZE_US, SLIDE_US = 1, 2
MIDNIGHTS, DAYS, CUTS, END_KIND, END_LENGTH, END_REST, MOST_OPEN = 6, 7, 8, 9, 10, 11, 12
WHOLE_DAYS, CONSECUTIVE_CUTS, ELAPSED = 0, 1, 2


@inner
def _last_not_above(array, size, value):
    """Place of the last element ≤ value in an ascending array; -1 if there is none."""
    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        if load(array, middle) <= value:
            low = middle + 1
        else:
            high = middle
    return low - 1


@inner
def _day_of_cut(window, number):
    return min(_last_not_above(load(window, CUTS), load(window, DAYS) + 1, number), load(window, DAYS) - 1)


@inner
def _total(window):
    return load(load(window, CUTS), load(window, DAYS))


@inner
def _midnight(window, day):
    return load(load(window, MIDNIGHTS), min(day, load(window, DAYS)))


@inner
def _cut(window, number):
    """Start of a window, the last midnight given for those after all."""
    return start(window, number) if number < _total(window) else _midnight(window, load(window, DAYS))


@inner
def start(window, number):
    not_inlined()
    day = _day_of_cut(window, number)
    return _midnight(window, day) + (number - load(load(window, CUTS), day)) * load(window, SLIDE_US)


@inner
def end(window, number):
    not_inlined()
    day = _day_of_cut(window, number)
    begin = start(window, number)
    kind, length = load(window, END_KIND), load(window, END_LENGTH)
    if kind == WHOLE_DAYS:
        elapsed = begin - _midnight(window, day)
        return min(
            _midnight(window, day + length) + elapsed,
            _midnight(window, day + length + (1 if elapsed > 0 else 0)),
        )
    if kind == CONSECUTIVE_CUTS:
        rest = load(window, END_REST)
        later = _cut(window, number + length) + rest
        return min(later, _cut(window, number + length + 1)) if rest > 0 else later
    return min(begin + length, _midnight(window, day + 1))


@inner
def last_start_until(window, time):
    """-1 if `time` lies before the first cut."""
    not_inlined()
    day = _last_not_above(load(window, MIDNIGHTS), load(window, DAYS), time)
    if day < 0:
        return -1
    cuts = load(window, CUTS)
    elapsed_cuts = (time - _midnight(window, day)) // load(window, SLIDE_US)
    return min(load(cuts, day) + elapsed_cuts, load(cuts, day + 1) - 1)


@inner
def first_end_after(window, time):
    """By bisection among the windows that can hold `time`, since ends never fall."""
    not_inlined()
    high = min(last_start_until(window, time) + 1, _total(window))
    low = max(0, high - load(window, MOST_OPEN) - 1)
    while low < high:
        middle = (low + high) // 2
        if end(window, middle) > time:
            high = middle
        else:
            low = middle + 1
    return low


def block_arrays(
    size_us: int, slide_us: int, midnights_us: np.ndarray, days_after_origin: int
) -> tuple[np.ndarray, list[int]]:
    """Cuts before each day, and the words of the block from END_KIND on. Raises WrongParameter."""
    for name, value in (("size", size_us), ("slide", slide_us)):
        if value <= 0 or (value % DAY_US and DAY_US % value):
            raise WrongParameter(name, value, "with a zone: whole days, or a part that divides a day (in µs)")
    lengths = np.diff(midnights_us)
    if slide_us >= DAY_US:
        cuts = ((days_after_origin + np.arange(len(lengths))) % (slide_us // DAY_US) == 0).astype(np.int64)
    else:
        cuts = -(-lengths // slide_us)
    return np.concatenate(([0], np.cumsum(cuts))), _end_words(size_us, slide_us, lengths)


def _end_words(size_us: int, slide_us: int, lengths: np.ndarray) -> list[int]:
    cuts_a_day = -(-int(lengths.max(initial=DAY_US)) // slide_us)
    if size_us % DAY_US == 0:
        return [WHOLE_DAYS, size_us // DAY_US, 0, (size_us // DAY_US + 2) * cuts_a_day]
    if slide_us < DAY_US:
        return [CONSECUTIVE_CUTS, size_us // slide_us, size_us % slide_us, size_us // slide_us + 2]
    return [ELAPSED, size_us, 0, 1]
