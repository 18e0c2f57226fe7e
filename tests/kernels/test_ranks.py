"""Ranks: the sort before the first event, alongside plain Python."""

import bisect

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kernels.ranks import rank_keys

TIMES = st.lists(st.integers(-20, 20) | st.integers(-(1 << 61), 1 << 61), max_size=40)


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
