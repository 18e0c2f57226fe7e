"""Slide policies that users program (MTA §3.2, §4.1.3): the longest prefix that is evicted is found in one search."""

import random

import pytest

from kernels.aggregators import make
from schemas.errors import WrongParameter
from schemas.query import agg
from tests.kernels.monoid_trees import (
    INT,
    KERNELS,
    PlainPolicy,
    before_the_maximum,
    fig_2,
    of_counts,
    of_sums,
    of_timestamps,
)

each_kernel = pytest.mark.parametrize("kernel", KERNELS)
each_place = pytest.mark.parametrize("options", [{}, {"store": "lmdb", "buffer": 16}], ids=["memory", "lmdb"])
POLICIES = {"counts": (of_counts(7), (0, 9)), "sums": (of_sums(40), (0, 9)), "maximum": (before_the_maximum(), (0, 99)),
            "many": (of_counts(100), (0, 9)), "all": ((of_sums(1)[0], lambda total, prefix: True), (0, 9))}


@each_kernel
def test_the_running_example_of_section_3_2(kernel):
    """At most 10 in all: [2, 2, 3, 3] + 4 → [3, 3, 4]; the maximum is 3, then 4."""
    def too_much(total, prefix):
        # A prefix goes if what is left from its last update on is > 10: then that update can't stay. The example's
        # "the rest must be ≤ 10" would not do as it stands: it is true of the longer prefixes, not of the shorter ones.
        return total["sum"] - (prefix["sum"] - prefix["last"]) > 10

    aggregates = {**of_sums(0)[0], "last": agg("last", "v")}
    window = make(kernel, aggregates, column_types=INT, policy=too_much)
    for time, value in enumerate([2, 2, 3, 3]):
        window.insert(time, value)
    assert (window.query()["max"], len(window)) == (3, 4)
    window.insert(4, 4)
    assert (window.query(), window.oldest(), len(window)) == ({"sum": 10, "max": 4, "last": 4}, 2, 3)


@each_kernel
@each_place
def test_figure_2_inserting_8_evicts_all_others_in_three_steps(kernel, options):
    window, evicted = fig_2(kernel, **options)
    assert (window.oldest(), len(window)) == (1, 4)
    window.insert(8, 8)
    assert evicted == [1, 3, 4]
    assert (window.query(), len(window)) == ({"last": 8, "events": 1}, 1)


@each_kernel
@each_place
@pytest.mark.parametrize("name", POLICIES)
def test_policies_do_what_asking_about_every_prefix_does(kernel, options, name):
    (aggregates, policy), (low, high) = POLICIES[name]
    draw = random.Random(name)
    window = make(kernel, aggregates, column_types=INT, policy=policy, **options)
    plain = PlainPolicy(aggregates, policy)
    time = 0
    for _ in range(12):
        times = [time := time + draw.choice([0, 1, 1, 5]) for _ in range(draw.choice([1, 3, 25]))]
        values = [draw.randint(low, high) for _ in times]
        window.bulk_insert(times, values)
        plain.bulk_insert(times, values)
        window.check()
        assert (window.query(), len(window), window.oldest()) == (plain.query(), len(plain), plain.oldest())


@each_kernel
def test_timestamps_with_long_gaps_evict_much_at_once(kernel):
    aggregates, policy = of_timestamps(1000)
    asked = []
    window = make(kernel, aggregates, column_types=INT,
                  policy=lambda total, prefix: asked.append(prefix) or policy(total, prefix))
    window.bulk_insert(range(900), range(900))
    asked.clear()
    window.insert(1890, 1890)
    assert (window.oldest(), len(window)) == (891, 10)
    assert len(asked) <= 25  # of 891 evicted: up and down again


def test_a_policy_must_be_callable():
    with pytest.raises(WrongParameter, match="policy is 5"):
        make("monoid_tree", of_counts(1)[0], policy=5)
