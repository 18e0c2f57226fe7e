"""Prefix searches on the finger tree find what asking about every prefix finds, in O(log n) questions."""

import ctypes
import math
import random
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import config

from tests.support.kernels.plain import PlainWindow
from windrow.kernels.aggregators import make
from windrow.kernels.runtime.addresses import place_of
from windrow.kernels.runtime.memory import address_of
from windrow.schemas.errors import AggregateFailed, WrongParameter
from windrow.schemas.query import agg

pytestmark = pytest.mark.slow

INT = {"v": "int64"}
SUMS = {"sum": agg("sum", "v"), "events": agg("count"), "high": agg("max", "v")}
IN_ORDER = {"last": agg("last", "v"), "events": agg("count"), "high": agg("max", "v")}
ENTRIES = st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 9)), max_size=80)


def half_of_the_events(total, prefix):
    return 2 * prefix["events"] >= total["events"]


def all_but_few(total, prefix):
    return total["events"] - prefix["events"] < 5


def the_maximum_is_in(total, prefix):
    return prefix["high"] == total["high"]


def never(total, prefix):
    return prefix["events"] > total["events"]


def plain_first_where(window: PlainWindow, predicate):
    """By every prefix, from the shortest on."""
    times, total = sorted(window.entries), window.query()
    for place, time in enumerate(times):
        prefix = window._aggregated(times[: place + 1])
        if predicate(total, prefix):
            return time, prefix
    return None


@pytest.mark.slow
@pytest.mark.parametrize("aggregates", [SUMS, IN_ORDER], ids=["commutative", "ordered"])
@pytest.mark.parametrize("predicate", [half_of_the_events, all_but_few, the_maximum_is_in, never])
@settings(max_examples=25, deadline=None)
@given(bursts=st.lists(ENTRIES, max_size=2), share=st.floats(0, 1))
def test_it_finds_what_asking_about_every_prefix_finds(aggregates, predicate, bursts, share):
    tree, plain = make("finger_tree", aggregates, column_types=INT, min_arity=2), PlainWindow(aggregates)
    for number, burst in enumerate(bursts):
        for window in (tree, plain):
            if number == 0:
                window.bulk_insert([time for time, _ in burst], [value for _, value in burst])
            else:  # late ones wait in the tree
                for time, value in burst:
                    window.insert(time, value)
    times = sorted(plain.entries)
    for window in (tree, plain):
        if times:
            window.bulk_evict(times[int(share * (len(times) - 1))] - 1)
    assert tree.first_where(predicate) == plain_first_where(plain, predicate)
    tree.check()


@pytest.mark.parametrize("min_arity", [2, 8])
def test_the_questions_grow_with_the_logarithm(min_arity):
    """Asked by a C function over words, so that it can count."""
    asked = []
    for exponent in (6, 10, 14):
        tree = make("finger_tree", {"events": agg("count")}, min_arity=min_arity)
        tree.bulk_insert(range(1 << exponent), [None] * (1 << exponent))
        for wanted in random.Random(exponent).sample(range(1, 1 << exponent), 20):
            asked.clear()
            assert find_by_c_function(tree, lambda events: asked.append(events) or events >= wanted) == wanted - 1  # noqa: B023
            assert 0 < len(asked) <= 3 * exponent + 8


def find_by_c_function(tree, reaches):
    """first_where by a predicate over the number of events of the prefix."""

    def predicate(total, prefix, parameters):
        return int(reaches(tree._outputs_at(prefix)["events"]))

    native = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 3)(predicate)
    address = place_of(predicate) if config.DISABLE_JIT else ctypes.cast(native, ctypes.c_void_p).value
    prefix = np.zeros(tree._plan.state_words, np.int64)
    return tree._ask("first_where", address, 0, address_of(prefix))


@pytest.mark.slow
def test_a_predicate_that_fails_raises_what_it_raises():
    tree = make("finger_tree", SUMS, column_types=INT)
    tree.bulk_insert(range(1000), [None] * 1000)
    with pytest.raises(TypeError, match="NoneType"):
        tree.first_where(lambda total, prefix: prefix["sum"] > 3)
    with pytest.raises(KeyError if config.DISABLE_JIT else WrongParameter, match="none"):
        tree.first_where(lambda total, prefix: prefix["none"] > 3)
    assert tree.first_where(lambda total, prefix: prefix["sum"] is None)[0] == 0


def test_an_aggregate_without_a_right_answer_fails_the_search():
    tree = make("finger_tree", SUMS, column_types=INT)
    tree.bulk_insert([1, 2], [(1 << 63) - 1] * 2)
    with pytest.raises(AggregateFailed, match="sum"):
        tree.first_where(lambda total, prefix: prefix["sum"] >= total["sum"])


@pytest.mark.slow
def test_a_predicate_reads_what_stands_around_it_and_what_a_module_holds_when_it_is_given(monkeypatch):
    """The same function again is compiled again only if that has changed."""
    limits = ModuleType("limits")
    monkeypatch.setitem(globals(), "limits", limits)
    tree = make("finger_tree", SUMS, column_types=INT)
    tree.bulk_insert(range(100), [1] * 100)
    for wanted in (10, 20, 10, 10.5):
        limits.wanted = wanted
        for predicate in (lambda total, prefix: prefix["events"] >= wanted, at_least_the_limit):  # noqa: B023
            assert tree.first_where(predicate)[0] == math.ceil(wanted) - 1


def at_least_the_limit(total, prefix):
    return prefix["events"] >= limits.wanted  # noqa: F821


@pytest.mark.nightly
def test_numbers_are_of_their_columns_types():
    tree = make("finger_tree", {"mean": agg("mean", "v"), "all": agg("all", "v")}, column_types={"v": "bool"})
    tree.bulk_insert(range(100), [True] * 60 + [False] * 40)
    assert tree.first_where(lambda total, prefix: prefix["mean"] < 0.75)[0] == 80
    assert tree.first_where(lambda total, prefix: not prefix["all"])[0] == 60
    assert math.isclose(tree.first_where(lambda total, prefix: prefix["mean"] < 0.75)[1]["mean"], 60 / 81)
