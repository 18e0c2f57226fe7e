"""check() takes for right what only the order of roundings makes different, and nothing else."""

import random
from itertools import cycle

import numpy as np
import pytest

from windrow.kernels.aggregators import make
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.objects.checking import differing_word, exactly, folded, folded_in_groups, suffixed
from windrow.kernels.runtime.memory import as_float, as_word
from windrow.kernels.states.state_plan import make_plan
from windrow.schemas.query import agg

FLOATS = {name: agg(name, "v") for name in ("std", "sum", "fast_sum", "mean", "product")}
KERNELS = ("daba_lite", "amortized_monoid_tree", "two_stacks_lite", "monoid_tree")
DRAWS = {
    "around 0": lambda draw: draw.gauss(0, 1),
    "far from 0": lambda draw: 1e8 + draw.gauss(0, 1),
    "of very different sizes": lambda draw: draw.choice([1e-3, 1e9, -1e9]),
    "one value": lambda draw: 0.1,
    "infinite now and then": lambda draw: draw.choice([1.0, 1.5, 1e308, float("inf")]),
}
STD = make_plan((AggregateSpec("std", 0, "float64"),), counts_events=False)
SUM = make_plan((AggregateSpec("fast_sum", 0, "float64"),), counts_events=False)
PRODUCT = make_plan((AggregateSpec("product", 0, "float64"),), counts_events=False)


@pytest.mark.slow
@pytest.mark.parametrize("kernel, name", [*zip(cycle(KERNELS), DRAWS)])
def test_right_states_are_right_after_20_000_operations(kernel, name):
    draw = random.Random(name)
    window = make(kernel, FLOATS)
    for time in range(10_000):
        window.insert(time, DRAWS[name](draw))
        if time >= 1000 and draw.random() < 0.99:
            window.evict(window.oldest())
        if time % 1000 == 999:
            window.check()


def states_of(plan, values):
    """Of one value each."""
    states = np.zeros((len(values), plan.state_words), np.int64)
    states[:, 0] = np.array(values).view(np.int64)
    states[:, 2:] = 1
    return states


def raised(state, word, factor):
    changed = state.copy()
    changed[..., word] = np.vectorize(lambda bits: as_word(as_float(int(bits)) * factor))(changed[..., word])
    return changed


@pytest.mark.parametrize("name", ["around 0", "far from 0"])
@pytest.mark.parametrize("word", [0, 1])
def test_wrong_means_and_variances_are_found(name, word):
    draw = random.Random(name)
    states = states_of(STD, [DRAWS[name](draw) for _ in range(1000)])
    expected = folded(STD, states)
    assert differing_word(STD, raised(expected.states, word, 1 + 1e-15), expected) is None
    assert differing_word(STD, raised(expected.states, word, 1.001), expected) == (word,)


def test_a_value_left_out_is_found_in_a_count_whatever_the_floats_say():
    expected = folded(STD, states_of(STD, [0.1] * 1000))
    assert differing_word(STD, folded(STD, states_of(STD, [0.1] * 999)).states, expected) == (2,)


def test_a_value_left_out_is_found_in_a_sum():
    states = states_of(SUM, [1e6 + place for place in range(5000)])
    assert differing_word(SUM, folded(SUM, states[1:]).states, folded(SUM, states)) == (0,)


def test_a_sum_that_cancels_is_compared_by_what_went_in():
    values = [1e9, 0.1, -1e9, 0.2, -0.1]
    there = folded(SUM, states_of(SUM, values)).states
    back = folded(SUM, states_of(SUM, values[::-1]))
    assert there[0] != back.states[0]
    assert differing_word(SUM, there, back) is None
    small = folded(SUM, states_of(SUM, [0.1, 0.2, -0.1]))
    assert differing_word(SUM, there, small) == (0,)


def test_each_suffix_and_each_group_has_its_own_sizes():
    """A large value at the old end makes no room for mistakes at the young end."""
    states = states_of(SUM, [1e15, 1.0, 2.0, 3.0])
    for expected, entry in ((suffixed(SUM, states), 2), (folded_in_groups(SUM, states, 2), 1)):
        wrong = expected.states.copy()
        wrong[entry] = raised(wrong[entry], 0, 1 + 1e-9)
        assert differing_word(SUM, expected.states, expected) is None
        assert differing_word(SUM, wrong, expected) == (entry, 0)


def test_what_was_not_combined_is_equal_to_the_bit():
    states = states_of(SUM, [0.1, 0.2])
    assert differing_word(SUM, states, exactly(states)) is None
    assert differing_word(SUM, raised(states, 0, 1 + 1e-15), exactly(states)) == (0, 0)


def test_a_product_is_compared_with_its_exponent():
    """0.99…9 and 0.5 · 2 are next to each other."""
    below = np.nextafter(1.0, 0)
    just_below, one = (np.array([as_word(mantissa), exponent]) for mantissa, exponent in ((below, 0), (0.5, 1)))
    factors = np.array([[as_word(0.75), 1], [as_word(0.75), 0], [as_word(1 / 1.125), 0]])
    expected = folded(PRODUCT, factors)
    for right in (just_below, one):
        assert differing_word(PRODUCT, right, expected) is None
    assert differing_word(PRODUCT, np.array([as_word(0.5), 2]), expected) == (1,)
    assert differing_word(PRODUCT, np.array([as_word(0.501), 1]), expected) == (0,)
