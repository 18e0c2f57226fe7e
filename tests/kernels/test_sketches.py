"""Sketches keep their bounds over many values: ranks, numbers of different values, and sets."""

import math
import os

import numpy as np
import pytest

from tests.kernels.test_states import KINDS, cut_and_fold, join_both, lower_one
from windrow.kernels.monoid import Sketch
from windrow.kernels.monoids import AggregateSpec, every_monoid
from windrow.kernels.monoids._kll import Compactors
from windrow.kernels.objects.columns import Source
from windrow.kernels.runtime.memory import address_of
from windrow.kernels.states.state_plan import make_plan

MANY = 300 if os.environ.get("NUMBA_DISABLE_JIT") == "1" else 20_000
ORDERS = {
    "random": lambda count: np.random.default_rng(1).permutation(count),
    "ascending": np.arange,
    "descending": lambda count: np.arange(count)[::-1],
    "in a tree": lambda count: np.random.default_rng(2).permutation(count),
}


def sketched(spec, words, pieces):
    """The states of some pieces, merged in pairs until one is left; its answer."""
    events = np.zeros((2 * len(KINDS), len(words)), np.int64)
    events[spec.column] = words
    source = Source(events, np.ones(events.shape, np.bool_), np.zeros(len(words), np.int64))
    plan = make_plan((spec,), counts_events=False)
    states = np.zeros((pieces + 1, plan.state_words), np.int64)
    cuts = np.linspace(0, len(words), pieces + 1).astype(np.int64)
    cut_and_fold(plan.address, address_of(states), cuts, pieces, source.address)
    return lower_one(plan.address, address_of(states), 0), states


@pytest.mark.parametrize("q", [0.0, 0.1, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("order", ORDERS)
def test_the_sketch_of_quantiles_keeps_its_rank_error(order, q):
    words = ORDERS[order](MANY)
    spec = AggregateSpec("approx_quantile", 0, parameters=(("k", 64), ("q", q)))
    (word, is_null, failed), _ = sketched(spec, words, 64 if order == "in a tree" else 1)
    assert not is_null and not failed
    assert abs(word + 1 - q * MANY) <= max(1, 2.3 / 64**0.97 * MANY)


def test_the_sketch_of_quantiles_is_exact_while_it_has_room_and_gives_the_same_bits():
    words = np.random.default_rng(3).integers(-1000, 1000, 3 * 128)
    spec = AggregateSpec("approx_quantile", 0, parameters=(("q", 0.25),))
    (word, _, _), _ = sketched(spec, words, 3)
    assert word == sorted(words)[math.ceil(0.25 * len(words)) - 1]
    many = np.random.default_rng(4).integers(0, 1 << 60, MANY)
    (first, one), (again, other) = (sketched(spec, many, 2) for _ in range(2))
    assert first == again and (one == other).all()


def weighed(state):
    """The values that a sketch holds, each as often as it counts."""
    sketch, values, end = Compactors(address_of(state)), [], 0
    for level in range(sketch.levels - 1, -1, -1):
        begin, end = end, end + sketch.sizes[level]
        values += [sketch.values[place] for place in range(begin, end) for _ in range(1 << level)]
    assert len(values) == sketch.counted
    return values


@pytest.mark.parametrize("different", [3, 1 << 60], ids=["few values", "many values"])
@pytest.mark.parametrize("sizes", [(0, 0), (0, 9), (1, 1), (500, 3), (5000, 7000)], ids=str)
def test_the_rank_of_two_joined_sketches_is_that_of_all_their_values(sizes, different):
    words = np.random.default_rng(5).integers(0, different, sum(sizes))
    for q in (0.0, 0.2, 0.5, 0.999, 1.0):
        spec = AggregateSpec("approx_quantile", 0, parameters=(("q", q),))
        both = [sketched(spec, part, 1)[1][0] for part in (words[: sizes[0]], words[sizes[0] :])]
        plan, joined = make_plan((spec,), counts_events=False), np.zeros_like(both[0])
        join_both(plan.address, address_of(joined), address_of(both[0]), address_of(both[1]))
        word, is_null, failed = lower_one(plan.address, address_of(joined), 0)
        values = sorted(weighed(both[0]) + weighed(both[1]))
        assert (is_null, failed) == (not values, False)
        assert is_null or word == values[max(math.ceil(q * len(values)), 1) - 1]


@pytest.mark.parametrize("precision", [4, 10, 14])
@pytest.mark.parametrize("different", [1, 10, 100, 1000, 5000])
def test_the_sketch_of_different_values_keeps_its_standard_error(different, precision):
    different = min(different, MANY)
    words = np.tile(np.arange(different) * 7919, 2)
    spec = AggregateSpec("approx_distinct", 0, parameters=(("precision", precision),))
    (word, _, _), _ = sketched(spec, words, 3)
    assert abs(word - different) <= max(1, 3 * 1.04 / math.sqrt(1 << precision) * different)


def test_the_sketch_of_a_set_forgets_nothing_and_seldom_invents():
    words = np.arange(100) * 1_000_003

    def holds(contains):
        spec = AggregateSpec("bloom", 0, parameters=(("contains", int(contains)),))
        return sketched(spec, words, 4)[0][0]

    assert all(holds(word) for word in words[::9])
    assert sum(holds(word + 1) for word in words) <= 5


def test_sketches_are_of_some_words_for_any_parameters():
    for _, monoid in every_monoid():
        if isinstance(monoid, Sketch):
            least = monoid.words(tuple(each.least for each in monoid.parameters))
            assert 0 < least <= monoid.words(tuple(each.most for each in monoid.parameters))
