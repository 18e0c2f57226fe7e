"""The events of a key that were late for the window of their own time, and how many of them a window got late.

    place       0    1    2    3    4 …      in order of arrival, so watermarks never fall
    watermark   8    8    9   12   15
    time        3    6    1    7    4        window [2, 8) ends at 8: late are those from place 0 on with 2 ≤ time < 8

Over the pairs stands a tree of sorted runs: of RUN times each, of twice as many, and so on. The places from one on are
a few whole runs, each asked by two bisections. Walking back over the pairs instead was quadratic: 80,000 late events of
a key took 3.6 s.
"""

from windrow.kernels.runtime.bisection import place_from, searches
from windrow.kernels.runtime.fields import Array, Inline, Microseconds, Pointer
from windrow.kernels.runtime.growing import GrowingList, append
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined
from windrow.kernels.runtime.sorting import insert_ascending, merge_ascending
from windrow.kernels.runtime.struct import Struct, words_at

RUN = 64
LEVELS = 26


class LateTime(Struct):
    """The time of a late event, and the watermark before its tick."""

    time: Microseconds
    watermark: Microseconds


LATE_TIME_WORDS = LateTime.size_bytes // WORD_BYTES


class LateTimes(GrowingList):
    """runs[level]: the times in sorted runs of RUN·2^level, as many as are whole."""

    first: Pointer(Inline(LateTime))
    runs: Array(Inline(GrowingList), LEVELS)


@inner
def forget_late_times(late):
    late.used = 0
    for level in range(LEVELS):
        late.runs[level].used = 0


@inner
def add_late_time(late, time, watermark):
    """O(log n) amortised."""
    not_inlined()
    pair = LateTime(append(late, LATE_TIME_WORDS))
    pair.time, pair.watermark = time, watermark
    count = late.used // LATE_TIME_WORDS
    if count % RUN == 0:
        run = words_at(append(late.runs[0], RUN))
        for row in range(RUN):
            insert_ascending(run, row, late.first[count - RUN + row].time)
        level, length = 0, 2 * RUN
        while count % length == 0 and level + 1 < LEVELS:
            _merge_runs(late.runs[level], late.runs[level + 1], length)
            level, length = level + 1, 2 * length


@inner
def _merge_runs(source, target, length):
    half = length // 2
    older = words_at(source.first + WORD_BYTES * (source.used - length))
    merge_ascending(words_at(append(target, length)), older, half, older[half:], half)


@inner
def _came_before(late_times, place, end):
    return late_times[place].watermark < end


_first_after = searches("late_times", _came_before).place_from


@inner
def count_late_times(late, begin, end):
    """How many events with times in [begin, end) came after the watermark had reached `end`. O(log² n)."""
    not_inlined()
    count = late.used // LATE_TIME_WORDS
    place, found = _first_after(late.first, 0, count, end), 0
    while place < count:
        level, length = -1, RUN
        while place % length == 0 and place + length <= count and level + 1 < LEVELS:
            level, length = level + 1, 2 * length
        if level >= 0:
            length //= 2
            run = words_at(late.runs[level].first + WORD_BYTES * place)
            found += place_from(run, 0, length, end) - place_from(run, 0, length, begin)
            place += length
        else:
            found += 1 if begin <= late.first[place].time < end else 0
            place += 1
    return found
