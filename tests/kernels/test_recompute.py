"""Recompute does what a sorted list does: it is one."""

import pytest

from kernels.aggregators import make
from tests.support.kernels.machine import COMMUTATIVE, ORDERED, machine_of
from tests.support.kernels.queues import SUM, capacities, filled, spoil_time, view

KERNEL = "recompute"
TestCommutative = machine_of(KERNEL, COMMUTATIVE, nightly=True)
TestOrdered = machine_of(KERNEL, ORDERED)
TestFloats = machine_of(KERNEL, ORDERED, column_types={"v": "float64"}, nightly=True)


def test_the_drawn_example():
    window = filled(KERNEL, [10, 20, 30])
    window.insert(25, 25)
    assert list(view(window).times) == [10, 20, 25, 30]
    assert window.range_query(20, 30) == {"sum": 45}
    window.bulk_evict(20)
    assert list(view(window).times) == [25, 30]


def test_a_burst_is_merged_behind_what_is_there():
    window = make(KERNEL, {"last": ORDERED["last"]}, column_types={"v": "int64"})
    window.bulk_insert([10, 20, 30], [1, 2, 3])
    window.bulk_insert([20, 5, 40, 20, 5], [4, 5, 6, 7, 8])
    assert list(view(window).times) == [5, 10, 20, 30, 40]
    assert [window.range_query(time, time + 1)["last"] for time in (5, 10, 20, 30, 40)] == [8, 1, 7, 3, 6]


def test_check_finds_a_wrong_order():
    window = filled(KERNEL, range(10))
    spoil_time(window)
    with pytest.raises(AssertionError, match="order"):
        window.check()


def test_a_window_that_slides_keeps_its_memory():
    room = capacities(make(KERNEL, SUM), 20, 1000)
    assert room[-1] == room[len(room) // 2] <= 1100 * 9 / 8 + 4
