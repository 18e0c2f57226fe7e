"""The state of a KLL sketch (Karnin, Lang and Liberty, "Optimal quantile approximation in streams", 2016): levels of
values, those of level h standing for 2**h values each.

    counted = 11, sizes = [3, 2, 1]    values = [ 40 | 10 70 | 20 30 90 ]    1·4 + 2·2 + 3·1 = 11
                                                level 2, 1,    0

Nothing is given up before the room is full; then of the lowest level that is full every second value in order moves a
level up, and the others go. A level has room for k values if it is the highest, for two thirds of that one below, and
so on, at least 4.

The values of a level ascend. In any order an insertion is quicker, but each merge of two full sketches then sorts some
hundred values, and a sliding window makes one or two a row: 10 µs each, where merging what ascends takes 2 µs. Merging
from both ends at once without branches took 40 % less for two full sketches in a loop, and as long in a replay, whose
windows share most values, so that the processor foresees most branches.

The value of a rank is found in one sketch, or in two as if they were merged.

    level 2    40               rank 5 of 4·1 + 2·2 + 3·1 = 11. The middle of the longest level, 30, has 2 + 2 = 4
    level 1    10 70            values ≤ it: too few, so 90, 70 and 40 are left. 90 has 11 and 70 has 10: both enough,
    level 0    20 30 90         so 40 is left. It has 8, enough, and nothing below it is left: 40 is the answer

Each round halves what is left of one level, and so of most others. Tried before: bisection over all of int64, which is
64 rounds; and levels in no order, whose values were all looked at in each of ten rounds: 3 µs.
"""

from numba.extending import register_jitable

from windrow.kernels.runtime.bisection import place_above, place_from
from windrow.kernels.runtime.fields import LARGEST, Address, Array, Count, Inline, Place, Pointer, Tail, Word
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined, release, resize
from windrow.kernels.runtime.mixing import LOW, mixed
from windrow.kernels.runtime.sorting import merge_ascending
from windrow.kernels.runtime.struct import Struct, allocate, clear_words

MOST_LEVELS = 32  # enough for 2**32 · k values
LEAST_ROOM = 4


class Compactors(Struct):
    """The levels, and what they stand for; the coin decides which half of a level goes."""

    counted: Count
    coin: Word
    levels: Count
    held: Count
    room: Count
    sizes: Array(Count, MOST_LEVELS)
    values: Tail(Word)


class Joined(Struct):
    """What may stand in place of Compactors that are only lowered: where the two are whose values they have. Of the
    fields, `counted` and `levels` stand where those of Compactors do, which have one level at least."""

    counted: Count
    older: Address
    levels: Count
    newer: Address


NO_LEVELS = 0
HEADER_WORDS = Compactors.size_bytes // WORD_BYTES


@register_jitable
def room_below(k):
    """Room of the level below one with room for k, but for the least."""
    return (2 * k + 2) // 3


@register_jitable
def room_of(k):
    """Room of all levels together. O(log k)."""
    room, levels = 0, MOST_LEVELS
    while k > LEAST_ROOM and levels > 0:
        room += k
        k = room_below(k)
        levels -= 1
    return room + levels * LEAST_ROOM


@inner
def reset(sketch, k):
    """No values."""
    clear_words(sketch.sizes.address, MOST_LEVELS)
    sketch.counted, sketch.coin, sketch.levels, sketch.held, sketch.room = 0, 0, 1, 0, room_of(k)


@inner
def insert(sketch, value, k):
    """One value more. O(k), and O(log k) comparisons."""
    if sketch.held == sketch.room:
        compact(sketch, k)
    place = place_above(sketch.values, sketch.held - sketch.sizes[0], sketch.held, value)
    move(sketch.values[place + 1 :].address, sketch.values[place:].address, sketch.held - place)
    sketch.values[place] = value
    sketch.held += 1
    sketch.sizes[0] += 1
    sketch.counted += 1
    sketch.coin = mixed(sketch.coin ^ (value & LOW))


@inner
def merge(into, other, k):
    """Take up all values of another sketch. O(values that are held)."""
    not_inlined()
    if into.held + other.held <= into.room:
        _merge_levels(into, other)
        return
    both = Compactors(resize(0, HEADER_WORDS + into.held + other.held))
    move(both.address, into.address, HEADER_WORDS + into.held)
    _merge_levels(both, other)
    while both.held > both.room:
        compact(both, k)
    move(into.address, both.address, HEADER_WORDS + both.held)
    release(both.address)


@inner
def join(both, older, newer):
    """The values of two sketches, until one of them changes, for ranks alone: a tenth of a merge. O(1)."""
    both.counted, both.levels = older.counted + newer.counted, NO_LEVELS
    both.older, both.newer = older.address, newer.address


@inner
def _merge_levels(into, other):
    """Each level of the other goes into that of this one, where there is room for both: from the lowest level on, which
    stands last, so that nothing is written over before it has moved."""
    not_inlined()
    into.counted += other.counted
    into.coin = mixed((into.coin + 3 * other.coin) & LOW)
    into.levels = max(into.levels, other.levels)
    end, other_end = into.held, other.held
    into.held += other.held
    place = into.held
    for level in range(into.levels):
        size, more = into.sizes[level], other.sizes[level]
        end, other_end, place = end - size, other_end - more, place - size - more
        merge_ascending(into.values[place:], into.values[end:], size, other.values[other_end:], more)
        into.sizes[level] = size + more


@inner
def compact(sketch, k):
    """Halve the lowest level that is full: every second value goes to the level above, which stands in front of it.
    O(values that are held)."""
    not_inlined()
    level, end = _lowest_full(sketch, k)
    size, above = sketch.sizes[level], sketch.sizes[level + 1]
    kept, first, last = size // 2, end - size, sketch.values[end - 1]
    _halve(sketch, sketch.values[first:], size)
    target = sketch.values[first - above :]
    merge_ascending(target, target, above, sketch.values[end - kept :], kept)
    if size & 1:
        sketch.values[first + kept] = last
    move(sketch.values[end - kept :].address, sketch.values[end:].address, sketch.held - end)
    sketch.sizes[level] = size - 2 * kept
    sketch.sizes[level + 1] += kept
    sketch.held -= kept
    sketch.levels = max(sketch.levels, level + 2)


@inner
def _lowest_full(sketch, k):
    """The lowest level that has no more room, the highest if none has; and the place behind its values."""
    full, behind_full, end, room = sketch.levels - 1, sketch.sizes[sketch.levels - 1], 0, k
    for level in range(sketch.levels - 1, -1, -1):
        end += sketch.sizes[level]
        if sketch.sizes[level] >= max(room, LEAST_ROOM):
            full, behind_full = level, end
        room = room_below(room)
    return full, behind_full


@inner
def _halve(sketch, values, size):
    """Of each pair of neighbours the one that the coin picks goes to the end, in order; a last value without neighbour
    is written over."""
    sketch.coin = mixed((sketch.coin + 1) & LOW)
    kept = size // 2
    for pair in range(kept - 1, -1, -1):
        values[size - kept + pair] = values[2 * pair + (sketch.coin & 1)]


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
