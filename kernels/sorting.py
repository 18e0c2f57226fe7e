"""Stable sorting of short stretches inside compiled code."""

from kernels.memory import inner, load, not_inlined, store

FEW = 8  # so many are sorted by insertion


@inner
def ascend(times, count):
    """Whether some words never fall."""
    place = 1
    while place < count and load(times, place - 1) <= load(times, place):
        place += 1
    return place >= count


@inner
def sort_pairs(pairs, spare, count):
    """Sort pairs of words by their first, stably, by merging; returns which of the two blocks holds them in the end."""
    not_inlined()
    for first in range(0, count, FEW):
        _sort_few(pairs, first, min(first + FEW, count))
    width = FEW
    while width < count:
        for first in range(0, count, 2 * width):
            _merge_pairs(pairs, spare, first, min(first + width, count), min(first + 2 * width, count))
        pairs, spare = spare, pairs
        width *= 2
    return pairs


@inner
def _sort_few(pairs, first, end):
    for row in range(first + 1, end):
        time, place = load(pairs, 2 * row), load(pairs, 2 * row + 1)
        while row > first and load(pairs, 2 * row - 2) > time:
            store(pairs, 2 * row, load(pairs, 2 * row - 2))
            store(pairs, 2 * row + 1, load(pairs, 2 * row - 1))
            row -= 1
        store(pairs, 2 * row, time)
        store(pairs, 2 * row + 1, place)


@inner
def _merge_pairs(source, target, first, middle, end):
    left, right = first, middle
    for place in range(first, end):
        take_right = left == middle or (right < end and load(source, 2 * right) < load(source, 2 * left))
        taken = right if take_right else left
        store(target, 2 * place, load(source, 2 * taken))
        store(target, 2 * place + 1, load(source, 2 * taken + 1))
        right += 1 if take_right else 0
        left += 0 if take_right else 1
