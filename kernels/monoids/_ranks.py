"""The value of a rank in a KLL sketch (_compactors.py), whose levels ascend.

    level 2    40               rank 5 of 4·1 + 2·2 + 3·1 = 11. The middle of the longest level, 30, has 2 + 2 = 4
    level 1    10 70            values ≤ it: too few, so 90, 70 and 40 are left. 90 has 11 and 70 has 10: both enough,
    level 0    20 30 90         so 40 is left. It has 8, enough, and nothing below it is left: 40 is the answer

Each round halves what is left of one level, and so of most others. Tried before: bisection over all of int64, which is
64 rounds; and levels in no order, whose values were all looked at in each of ten rounds: 3 µs.
"""

from kernels.monoids._compactors import MOST_LEVELS
from kernels.runtime.bisection import place_above, place_from
from kernels.runtime.fields import Array, Inline, Place
from kernels.runtime.memory import inner, not_inlined, release
from kernels.runtime.struct import Struct, allocate

LARGEST = (1 << 63) - 1


class Rest(Struct):
    """Places in the values: of a level, which begins at `start`, those in [first, end) may be the answer."""

    start: Place
    first: Place
    end: Place


class RankSearch(Struct):
    """What is left of each level."""

    left: Array(Inline(Rest), MOST_LEVELS)


@inner
def value_at(sketch, rank):
    """The least value with that many values ≤ it. O(levels² · log² k)."""
    not_inlined()
    if sketch.levels == 1:
        return sketch.values[rank - 1]
    search, found = allocate(RankSearch), LARGEST
    _start(search, sketch)
    level = _longest(search, sketch.levels)
    while search.left[level].first < search.left[level].end:
        middle = (search.left[level].first + search.left[level].end) >> 1
        value = sketch.values[middle]
        if _weight_up_to(search, sketch, value) >= rank:
            found = value
            _keep_below(search, sketch, value)
        else:
            _keep_above(search, sketch, value)
        level = _longest(search, sketch.levels)
    release(search.address)
    return found


@inner
def _start(search, sketch):
    end = sketch.held
    for level in range(sketch.levels):
        left = search.left[level]
        left.end = end
        end -= sketch.sizes[level]
        left.start = left.first = end


@inner
def _longest(search, levels):
    """The level of which most is left."""
    longest, most = 0, 0
    for level in range(levels):
        count = search.left[level].end - search.left[level].first
        longest, most = (level, count) if count > most else (longest, most)
    return longest


@inner
def _weight_up_to(search, sketch, value):
    """How many of the values counted are ≤ a value that may be the answer, as far as is known."""
    weight = 0
    for level in range(sketch.levels):
        left = search.left[level]
        weight += (place_above(sketch.values, left.first, left.end, value) - left.start) << level
    return weight


@inner
def _keep_below(search, sketch, value):
    for level in range(sketch.levels):
        left = search.left[level]
        left.end = place_from(sketch.values, left.first, left.end, value)


@inner
def _keep_above(search, sketch, value):
    for level in range(sketch.levels):
        left = search.left[level]
        left.first = place_above(sketch.values, left.first, left.end, value)
