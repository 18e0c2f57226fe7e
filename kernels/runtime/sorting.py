"""Stable sorting and merging inside compiled code: of late events, edges of stretches, rows.

keys      5 3 9 1        by insertion up to FEW, then stretches of twice the length each time
pairs     (5, a) (3, b) (9, c) (1, d)  ─▶  (1, d) (3, b) (5, a) (9, c)
words     1 4 9  and  2 4  ─▶  1 2 4 4 9
"""

from windrow.kernels.runtime.fields import Inline, Tail, Word
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move, not_inlined
from windrow.kernels.runtime.struct import Struct, words_at

FEW = 8  # so many are sorted by insertion


class Pair(Struct):
    """What is sorted, and what goes along with it."""

    key: Word
    value: Word


PAIR_WORDS = Pair.size_bytes // WORD_BYTES


class Pairs(Struct):
    """A block of pairs: pairs.at[i].key."""

    at: Tail(Inline(Pair))


@inner
def ascend(words, count):
    """Whether some words never fall. O(count)."""
    words = words_at(words)
    falls = 0
    for place in range(1, count):  # without a way out, so that it is compiled to vector instructions
        falls += words[place - 1] > words[place]
    return falls == 0


@inner
def insert_ascending(words, count, word):
    """Insert a word into `count` that ascend, behind those that are equal; there is room for it. Returns its place.
    O(words beyond it)."""
    place = count
    while place > 0 and words[place - 1] > word:
        words[place] = words[place - 1]
        place -= 1
    words[place] = word
    return place


@inner
def merge_ascending(target, one, size, other, more):
    """Words of two stretches that ascend into one, from the greatest on; `one` may begin where the target does, or
    before it. Often they are in order already. O(size + more)."""
    place, in_order = size + more, size == 0 or more == 0 or one[size - 1] <= other[0]
    while size > 0 and more > 0 and not in_order:
        place -= 1
        left, right = one[size - 1], other[more - 1]
        from_one = left > right
        target[place] = left if from_one else right
        size -= 1 if from_one else 0
        more -= 0 if from_one else 1
    move(target.address, one.address, size)
    move(target[size:].address, other.address, more)


@inner
def sort_pairs(pairs, spare, count):
    """Sort pairs by key, stably, by merging; returns which of the two blocks holds them in the end.
    O(count log count)."""
    not_inlined()
    pairs, spare = Pairs(pairs), Pairs(spare)
    for first in range(0, count, FEW):
        _sort_few(pairs, first, min(first + FEW, count))
    width = FEW
    while width < count:
        for first in range(0, count, 2 * width):
            _merge(pairs, spare, first, min(first + width, count), min(first + 2 * width, count))
        pairs, spare = spare, pairs
        width *= 2
    return pairs


@inner
def _copy(target, source):
    target.key, target.value = source.key, source.value


@inner
def _sort_few(pairs, first, end):
    for row in range(first + 1, end):
        key, value, place = pairs.at[row].key, pairs.at[row].value, row
        while place > first and pairs.at[place - 1].key > key:
            _copy(pairs.at[place], pairs.at[place - 1])
            place -= 1
        pairs.at[place].key, pairs.at[place].value = key, value


@inner
def _merge(source, target, first, middle, end):
    """Merge [first, middle) and [middle, end); often they are in order already."""
    if middle == end or source.at[middle].key >= source.at[middle - 1].key:
        move(target.at[first].address, source.at[first].address, PAIR_WORDS * (end - first))
        return
    left, right = first, middle
    for place in range(first, end):
        take_right = left == middle or (right < end and source.at[right].key < source.at[left].key)
        _copy(target.at[place], source.at[right if take_right else left])
        right += 1 if take_right else 0
        left += 0 if take_right else 1
