"""Subtract on evict does what a sorted list does, and refuses what can't be subtracted exactly."""

import pytest

from kernels.aggregators import make
from schemas.errors import BadInput, WrongParameter
from schemas.query import agg
from tests.support.kernels.machine import INVERTIBLE, machine_of
from tests.support.kernels.queues import SUM, capacities, filled, spoil, sums, view

KERNEL = "subtract_on_evict"
TestInvertible = machine_of(KERNEL, INVERTIBLE, in_order=True)
TestDefaultType = machine_of(KERNEL, INVERTIBLE, in_order=True, column_types=None, nightly=True)


def test_the_drawn_example():
    window = make(KERNEL, SUM)
    window.bulk_insert([1, 2, 3, 4], [10, 20, 30, 40])
    assert (sums(window), window.query()) == ([10, 20, 30, 40], {"sum": 100})
    window.bulk_evict(2)
    assert (sums(window), window.query(), window.range_query(3, 4)) == ([30, 40], {"sum": 70}, {"sum": 30})


def test_an_aggregate_without_an_exact_inverse_is_refused():
    with pytest.raises(WrongParameter, match="'min of int64'.*count.*two_stacks_lite"):
        make(KERNEL, {"n": agg("count"), "low": agg("min", "v")})
    with pytest.raises(WrongParameter, match="'sum of float64'"):
        make(KERNEL, SUM, column_types={"v": "float64"})
    window = make(KERNEL, {"there": agg("count", "v")}, column_types={"v": "float64"})
    window.insert(1, 2.5)
    assert window.query() == {"there": 1}


def test_columns_are_integers_unless_named_otherwise():
    window = make(KERNEL, SUM)
    window.insert(1, 5.0)
    with pytest.raises(BadInput, match="2.5 is no int64"):
        window.insert(2, 2.5)
    assert window.query() == {"sum": 5}


def test_check_finds_a_wrong_total():
    window = filled(KERNEL, range(10))
    spoil(view(window).queue.back)
    with pytest.raises(AssertionError, match="total"):
        window.check()


def test_a_window_that_slides_keeps_its_memory():
    room = capacities(make(KERNEL, SUM), 20, 1000)
    assert room[-1] == room[len(room) // 2] <= 1100 * 9 / 8 + 4
