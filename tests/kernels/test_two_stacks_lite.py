"""Two-stacks lite does what a sorted list does, keeps its invariants, and overwrites what the docstring says."""

import pytest

from kernels.aggregators import make
from schemas.errors import BadInput, NotServed, WrongParameter
from tests.support.kernels.machine import COMMUTATIVE, ORDERED, machine_of
from tests.support.kernels.queues import LAST, capacities, filled, spoil, spoil_state, spoil_time, sums, view

KERNEL = "two_stacks_lite"
TestCommutative = machine_of(KERNEL, COMMUTATIVE, in_order=True, nightly=True)
TestOrdered = machine_of(KERNEL, ORDERED, in_order=True)
TestFloats = machine_of(KERNEL, ORDERED, in_order=True, column_types={"v": "float64"}, nightly=True)
TestWithoutValues = machine_of(KERNEL, ORDERED, in_order=True, ranges=False, keep_values=False, nightly=True)


def drawn(**options):
    window = filled(KERNEL, range(1, 7), **options)
    window.evict(1)
    window.insert(7, 7)
    return window


def test_the_drawn_example_holds_what_is_drawn():
    window = drawn()
    assert sums(window) == [14, 12, 9, 5, 6, 7]
    assert (view(window).at(view(window).queue.middle), window.query()) == (4, {"sum": 27})
    window.bulk_evict(6)
    assert (sums(window), window.query()) == ([7], {"sum": 7})


def test_without_values_only_ranges_to_the_younger_part_are_answered():
    window = drawn(keep_values=False)
    assert [window.range_query(low, 8) for low in range(1, 8)] == [
        {"sum": sum(range(max(2, low), 8))} for low in range(1, 8)
    ]
    assert (window.range_query(3, 7), window.range_query(6, 7)) == ({"sum": 18}, {"sum": 6})
    assert window.range_query(4, 4) == {"sum": None}
    with pytest.raises(NotServed, match="range_query of two_stacks_lite"):
        window.range_query(3, 5)
    assert drawn().range_query(3, 5) == {"sum": 7}


def test_a_late_event_is_refused_and_changes_nothing():
    window = drawn()
    with pytest.raises(BadInput, match="time 6 after 7: two_stacks_lite takes events in order of time"):
        window.bulk_insert([9, 6, 8], [1, 1, 1])
    with pytest.raises(BadInput, match="time 4 is not the oldest, 2"):
        window.evict(4)
    window.check()
    assert (window.query(), len(window)) == ({"sum": 27}, 6)


def test_events_of_one_time_stay_in_order_across_bursts():
    window = make(KERNEL, LAST, column_types={"v": "int64"})
    window.bulk_insert([1, 2, 2], [1, 2, 3])
    assert window.query() == {"last": 3}
    window.bulk_insert([2, 2, 5, 5], [4, 5, 6, 7])
    assert (window.range_query(1, 3), window.query(), len(window)) == ({"last": 5}, {"last": 7}, 3)


def test_check_finds_what_is_wrong():
    for entry, words in ((1, "front: entry 1"), (4, "back: entry 4")):
        window = drawn()
        spoil_state(window, entry)
        with pytest.raises(AssertionError, match=words):
            window.check()
    window = drawn()
    spoil(view(window).queue.back)
    with pytest.raises(AssertionError, match="back: word 1 of its aggregate"):
        window.check()
    window = drawn()
    spoil_time(window)
    with pytest.raises(AssertionError, match="order"):
        window.check()


def test_a_window_that_slides_keeps_its_memory():
    """Growing by an eighth, it has room for at most that much more than it ever held."""
    room = capacities(make(KERNEL, LAST), 20, 1000)
    assert room[-1] == room[len(room) // 2] <= 1100 * 9 / 8 + 4


def test_keep_values_is_checked():
    for wrong in (1, None, "yes"):
        with pytest.raises(WrongParameter, match="keep_values"):
            make(KERNEL, LAST, keep_values=wrong)
