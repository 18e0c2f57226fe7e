"""Searching and merging of words inside compiled code, alongside plain Python's."""

import bisect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.runtime.bisection import place_above, place_from, searches
from kernels.runtime.memory import address_of, entry, inner
from kernels.runtime.sorting import insert_ascending, merge_ascending
from kernels.runtime.struct import words_at

WORDS = st.lists(st.integers(-20, 20) | st.sampled_from([-(1 << 63), (1 << 63) - 1]), max_size=60)


@inner
def _is_below(words, place, value):
    return words[place] < value


OVER_WORDS = searches("tested", _is_below)
_gallop, _gallop_back = OVER_WORDS.gallop, OVER_WORDS.gallop_back


@entry
def all_places(words, first, end, value, found):
    words, found = words_at(words), words_at(found)
    found[0] = place_from(words, first, end, value)
    found[1] = _gallop(words, first, end, value)
    found[2] = _gallop_back(words, first, end, value)
    found[3] = place_above(words, first, end, value)


@entry
def sort_by_insertion(words, count):
    for place in range(count):
        insert_ascending(words_at(words), place, words_at(words)[place])


@entry
def merge(target, one, size, other, more):
    merge_ascending(words_at(target), words_at(one), size, words_at(other), more)


@pytest.mark.slow
@given(WORDS, st.integers(-21, 21), st.tuples(st.integers(0, 60), st.integers(0, 60)))
def test_a_place_is_found_from_either_end(words, value, between):
    words, found = sorted(words), np.zeros(4, np.int64)
    array = np.array([*words, 0])
    first, end = sorted(min(place, len(words)) for place in between)
    all_places(address_of(array), first, end, value, address_of(found))
    place = bisect.bisect_left(words, value, first, end)
    assert found.tolist() == [place, place, place, bisect.bisect_right(words, value, first, end)]


@given(WORDS)
def test_insertion_sorts(words):
    array = np.array([*words, 0])
    sort_by_insertion(address_of(array), len(words))
    assert array[:-1].tolist() == sorted(words)


@pytest.mark.parametrize("in_place", [False, True])
@given(WORDS, WORDS, st.integers(0, 9), st.booleans())
def test_two_stretches_become_one(in_place, one, other, behind, in_order):
    """Also where the first begins in the target's memory, at its beginning or before it."""
    one, other = sorted(one), sorted(other)
    if in_order and one:
        other = [word for word in other if word >= one[-1]]
    more = np.array([*other, 0])
    memory = np.array([*one, *[0] * (behind + len(other) + 1)])
    target = memory[behind:] if in_place else np.zeros(len(one) + len(other) + 1, np.int64)
    merge(address_of(target), address_of(memory), len(one), address_of(more), len(other))
    assert target[: len(one) + len(other)].tolist() == sorted(one + other)
