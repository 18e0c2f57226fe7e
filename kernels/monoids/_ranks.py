"""The value of a rank in one KLL sketch (_compactors.py), or in two as if they were merged. Their levels ascend.

    level 2    40               rank 5 of 4·1 + 2·2 + 3·1 = 11. The middle of the longest level, 30, has 2 + 2 = 4
    level 1    10 70            values ≤ it: too few, so 90, 70 and 40 are left. 90 has 11 and 70 has 10: both enough,
    level 0    20 30 90         so 40 is left. It has 8, enough, and nothing below it is left: 40 is the answer

Each round halves what is left of one level, and so of most others. Tried before: bisection over all of int64, which is
64 rounds; and levels in no order, whose values were all looked at in each of ten rounds: 3 µs.
"""

from kernels.monoids._compactors import MOST_LEVELS, NO_LEVELS, Compactors, Joined
from kernels.runtime.bisection import place_above, place_from
from kernels.runtime.fields import LARGEST, Array, Count, Inline, Place, Pointer, Word
from kernels.runtime.memory import inner, not_inlined, release
from kernels.runtime.struct import Struct, allocate


class SketchLevel(Struct):
    """A level, whose values stand for 2**height each: those in [first, end) may be the answer, and those in [first,
    above) aren't beyond the value that was looked at last."""

    values: Pointer(Word)
    height: Count
    first: Place
    end: Place
    above: Place


class RankSearch(Struct):
    """The levels that have values."""

    count: Count
    levels: Array(Inline(SketchLevel), 2 * MOST_LEVELS)


@inner
def value_at(at, rank):
    """The least value with that many values ≤ it, of the sketch at an address, or of two that are joined there.
    O(levels² · log² k)."""
    not_inlined()
    search, both = allocate(RankSearch), Joined(at)
    search.count = 0
    if both.levels == NO_LEVELS:
        _search_in(search, Compactors(both.older))
        _search_in(search, Compactors(both.newer))
    else:
        _search_in(search, Compactors(at))
    found = _find(search, rank)
    release(search.address)
    return found


@inner
def _search_in(search, sketch):
    not_inlined()
    end = sketch.held
    for height in range(sketch.levels):
        size = sketch.sizes[height]
        end -= size
        if size > 0:
            level = search.levels[search.count]
            level.values, level.height = sketch.values[end:], height
            level.first, level.end = 0, size
            search.count += 1


@inner
def _find(search, rank):
    not_inlined()
    found, level = LARGEST, _longest(search)
    while level.first < level.end:
        value = level.values[(level.first + level.end) >> 1]
        if _weight_up_to(search, value) >= rank:
            found = value
            _keep_below(search, value)
        else:
            _keep_above(search)
        level = _longest(search)
    return found


@inner
def _longest(search):
    """The level of which most is left."""
    longest, most = 0, 0
    for place in range(search.count):
        count = search.levels[place].end - search.levels[place].first
        longest, most = (place, count) if count > most else (longest, most)
    return search.levels[longest]


@inner
def _weight_up_to(search, value):
    """How many of the values counted are ≤ a value that may be the answer."""
    weight = 0
    for place in range(search.count):
        level = search.levels[place]
        level.above = place_above(level.values, level.first, level.end, value)
        weight += level.above << level.height
    return weight


@inner
def _keep_below(search, value):
    for place in range(search.count):
        level = search.levels[place]
        has_equal = level.above > level.first and level.values[level.above - 1] == value
        level.end = place_from(level.values, level.first, level.above, value) if has_equal else level.above


@inner
def _keep_above(search):
    for place in range(search.count):
        level = search.levels[place]
        level.first = level.above
