"""Sums and means of floats are the exact ones, rounded once: in any order, grouped in any way, in every kernel."""

import math
import random
from fractions import Fraction
from functools import reduce

import pytest

from tests.support.kernels.plain import nearest
from windrow.kernels import aggregators
from windrow.kernels.monoids import AggregateSpec, find_monoid
from windrow.kernels.runtime.memory import as_float, as_word
from windrow.pipelines.gate.recount.plain import aggregates as plain
from windrow.schemas.query import agg

SUM, MEAN = (find_monoid(AggregateSpec(name, 0, "float64"))[1] for name in ("sum", "mean"))
SPAN = 44  # powers of two within which no bit of a value is dropped
LEAST_POWERS = (-1074, -1020, -300, -20, 0, 300, 960, 1024 - SPAN)  # sums of the last leave float64, maybe on the way


def values_of(chance: random.Random, most: int) -> list[float]:
    """Of sizes that differ, some of them taken back again."""
    least, span = chance.choice(LEAST_POWERS), chance.choice((1, 5, 20, SPAN))
    found = [
        math.ldexp(chance.choice((-1, 1)) * (1 + chance.random()), least + chance.randrange(span))
        for _ in range(chance.randrange(1, most))
    ]
    found += [-value for value in found if chance.random() < 0.3] + [0.0] * chance.randrange(2)
    chance.shuffle(found)
    return found


def grouped(chance: random.Random, monoid, values: list[float]) -> float:
    """The answer over states that are put together in a random tree."""
    states = [monoid.lift(as_word(value)) for value in values]
    while len(states) > 1:
        place = chance.randrange(len(states) - 1)
        states[place : place + 2] = [monoid.combine(*states[place : place + 2])]
    word, is_null, failed = monoid.lower(states[0])
    assert not is_null and not failed
    return as_float(word)


@pytest.mark.parametrize("seed", range(10))
def test_1_000_random_sums_and_means_are_the_exact_ones_whatever_the_order_and_the_grouping(seed):
    chance = random.Random(seed)
    for _ in range(1_000):
        values = values_of(chance, 16)
        exact = sum(map(Fraction, values))
        assert grouped(chance, SUM, values) == nearest(exact), values
        assert grouped(chance, MEAN, values) == nearest(exact / len(values)), values


def test_where_bits_are_dropped_no_order_changes_the_sum_either_and_the_gate_drops_the_same():
    chance = random.Random("wide")
    for _ in range(300):
        greatest = chance.randrange(-1000, 900)
        powers = [max(greatest - chance.randrange(chance.choice((60, 200, 1900))), -1074) for _ in range(12)]
        values = [math.ldexp(1 + chance.random(), power) for power in powers]
        values += [-each for each in values[:6]]
        states = []
        for _ in range(6):
            chance.shuffle(values)
            states.append(reduce(SUM.combine, [SUM.lift(as_word(each)) for each in values]))
        assert len(set(states)) == 1
        rows = [{"v": value} for value in values]
        assert grouped(chance, SUM, values) == plain.aggregate(agg("sum", "v"), rows), values
        assert grouped(chance, MEAN, values) == plain.aggregate(agg("mean", "v"), rows), values


# A bin that was dropped can't be taken back, so one of them refuses float sums.
@pytest.mark.parametrize("kernel", sorted({*aggregators.kernels()} - {"subtract_on_evict"}))
@pytest.mark.parametrize("least", [0, 1024 - SPAN], ids=["small", "large"])
def test_a_window_s_sum_is_that_of_what_it_holds_in_every_kernel(kernel, least):
    chance, outputs = random.Random(kernel), {"total": agg("sum", "v"), "mean": agg("mean", "v")}
    window = aggregators.make(kernel, outputs, column_types={"v": "float64"})
    held: list[float] = []
    for time in range(0, 2_000, 50):
        sizes = [math.ldexp(1 + chance.random(), least + chance.randrange(SPAN)) for _ in range(50)]
        values = [chance.choice((-1, 1)) * size for size in sizes]
        window.bulk_insert(range(time, time + 50), values)
        held += values
        if chance.random() < 0.5:
            gone = chance.randrange(len(held))
            window.bulk_evict(time + 49 - len(held) + gone + 1)
            held = held[gone + 1 :]
        if held:
            exact = sum(map(Fraction, held))
            assert window.query() == {"total": nearest(exact), "mean": nearest(exact / len(held))}
