"""Rolling windows of keys whose events all come in time: rows as the general loop makes them, and the oracle's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.monoids import AggregateSpec
from kernels.replay import AggregatePlan, KernelChoice, ReplayRules, WindowSpec, replay_keys
from tests.support.kernels.columns import columns_of, in_steps, ticks_of

EXACT = AggregatePlan((AggregateSpec("sum", 0), AggregateSpec("max", 0), AggregateSpec("count", 0)))
ORDERED = AggregatePlan((AggregateSpec("last", 0), AggregateSpec("first", 0), AggregateSpec("longest_run", 0)))
EVENT = st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(-9, 9) | st.none())  # step, late by, value
KEYS = st.lists(st.lists(EVENT, max_size=60), min_size=1, max_size=3)


def both_ways(columns, size, plan, rules):
    """Rows as the events ask for, and by the finger tree; and the kernels of the first."""
    ticks = ticks_of(columns)
    found, wanted = (
        replay_keys(columns, WindowSpec("rolling", size), plan, ticks, rules, choice)
        for choice in (None, KernelChoice("finger_tree"))
    )
    return [each.tolist() for each in found[:-3]], [each.tolist() for each in wanted[:-3]], found.kernels


@pytest.mark.slow
@pytest.mark.parametrize("plan", [EXACT, ORDERED], ids=["exact", "ordered"])
@pytest.mark.parametrize("emit", ["final", "watermark"])
@given(keys=KEYS, size=st.sampled_from([1, 3, 20, 500]), waits=st.tuples(st.integers(0, 14), st.integers(0, 5)))
def test_rows_in_time_are_those_of_the_general_loop(plan, emit, keys, size, waits):
    columns = columns_of(*map(in_steps, keys))
    ends = int(columns.arrival_us.max(initial=0)) + 1
    for complete_tick in (None, ends):
        rules = ReplayRules(*waits, emit, complete_tick)
        found, wanted, _ = both_ways(columns, size, plan, rules)
        assert found == wanted


@pytest.mark.parametrize(("lateness", "kernel"), [(6, "sorted_stacks"), (2, "finger_tree")])
def test_keys_in_time_and_only_those_have_their_windows_made_at_once(lateness, kernel):
    """Long enough for several batches and fronts, with ties."""
    random = np.random.default_rng(3)
    key = [
        (int(step), int(late), 1)
        for step, late in zip(random.integers(0, 3, 2000), random.integers(0, 7, 2000), strict=True)
    ]
    found, wanted, kernels = both_ways(columns_of(in_steps(key)), 300, EXACT, ReplayRules(lateness, 0, "watermark"))
    assert (kernels, len(found[0]) > 100) == ({kernel: 1}, True)
    assert found == wanted
