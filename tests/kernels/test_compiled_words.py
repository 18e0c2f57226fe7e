"""Words inside compiled code, alongside plain Python: their bits, searching and merging them, and ranks of times."""

import bisect

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from windrow.kernels.ranks import rank_keys
from windrow.kernels.runtime.bisection import place_above, place_from, searches
from windrow.kernels.runtime.memory import address_of, entry, inner
from windrow.kernels.runtime.sorting import insert_ascending, merge_ascending
from windrow.kernels.runtime.struct import words_at

TIMES = st.lists(st.integers(-20, 20) | st.integers(-(1 << 61), 1 << 61), max_size=40)
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


@given(TIMES, TIMES, st.booleans())
@example([9, 2, 1, 2, 1 << 61, 2, -(1 << 61), 2, 1, -(1 << 61)], [3, 1, 2, 1, 1], True)
def test_an_events_rank_is_the_first_place_of_its_time(first, second, both):
    times, offsets = np.array(first + second, np.int64), np.array([0, len(first), len(first) + len(second)])
    ranks, ascending, order = rank_keys(times, offsets, np.array([0, 1] if both else [1]))
    for key in (0, 1) if both else (1,):
        rows = slice(offsets[key], offsets[key + 1])
        assert ascending[rows].tolist() == sorted(times[rows].tolist())
        assert order[rows].tolist() == np.argsort(times[rows], kind="stable").tolist()
        assert ranks[rows].tolist() == [bisect.bisect_left(sorted(times[rows].tolist()), time) for time in times[rows]]


@pytest.mark.parametrize("apart", [1, 1 << 54])
def test_events_of_one_time_are_ranked_by_arrival(apart):
    """Whatever the processor: many of a time, and so far apart that a word doesn't hold time and row."""
    times = np.random.default_rng(1).integers(0, 60, 1000) * apart
    ranked = rank_keys(times, np.array([0, 1000]), np.array([0]))
    assert ranked.rows.tolist() == np.argsort(times, kind="stable").tolist()


def test_no_key_needs_ranks():
    assert [len(each) for each in rank_keys(np.arange(5), np.array([0, 5]), np.array([], np.int64))] == [1, 1, 1]
