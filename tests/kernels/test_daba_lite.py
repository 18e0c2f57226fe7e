"""DABA lite does what a sorted list does, keeps its regions, and does a bounded amount of work per operation."""

import pytest

from kernels.aggregators import make
from schemas.errors import NotServed
from tests.support.kernels.machine import COMMUTATIVE, ORDERED, machine_of
from tests.support.kernels.queues import LAST, capacities, filled, spoil, spoil_state, spoil_time, sums, view

KERNEL = "daba_lite"
TestCommutative = machine_of(KERNEL, COMMUTATIVE, in_order=True, nightly=True)
TestOrdered = machine_of(KERNEL, ORDERED, in_order=True)
TestFloats = machine_of(KERNEL, ORDERED, in_order=True, column_types={"v": "float64"}, nightly=True)
TestWithoutValues = machine_of(KERNEL, ORDERED, in_order=True, ranges=False, keep_values=False, nightly=True)


def regions(window):
    seen = view(window)
    queue = seen.queue
    return [seen.at(border) for border in (queue.left, queue.right, queue.accumulator, queue.middle)]


def test_the_drawn_example_holds_what_is_drawn():
    window = filled(KERNEL, range(1, 11))
    assert sums(window) == [36, 35, 7, 4, 5, 6, 15, 8, 9, 10]
    assert (regions(window), window.query()) == ([2, 4, 6, 8], {"sum": 55})
    window.insert(11, 11)
    assert sums(window) == [36, 35, 33, 4, 5, 21, 15, 8, 9, 10, 11]


def test_an_operation_changes_at_most_three_states():
    """Worst-case constant work: the new entry, one that joins the front, one that joins the accumulator."""
    window = filled(KERNEL, range(1, 200))
    for step in range(200, 700):
        before = sums(window)
        if step % 3:
            window.insert(step, step)
            after = sums(window)[: len(before)]
        else:
            window.evict(window.oldest())
            before, after = before[1:], sums(window)
        assert sum(old != new for old, new in zip(before, after, strict=True)) <= 2


def test_a_burst_leaves_the_regions_that_single_insertions_leave():
    single, burst = filled(KERNEL, range(1, 200)), make(KERNEL, {"sum": LAST["last"]}, column_types={"v": "int64"})
    burst.bulk_insert(range(1, 200), range(1, 200))
    assert regions(single) == regions(burst)
    for time in range(1, 120):
        single.evict(time)
    burst.bulk_evict(119)
    assert regions(single) == regions(burst)


def test_without_values_only_what_is_held_is_answered():
    window = filled(KERNEL, range(1, 11), keep_values=False)
    assert [window.range_query(low, 11) for low in range(1, 11)] == [
        {"sum": sum(range(low, 11))} for low in range(1, 11)
    ]
    assert [window.range_query(low, 9) for low in range(1, 9)] == [{"sum": sum(range(low, 9))} for low in range(1, 9)]
    assert window.range_query(5, 7) == {"sum": 11}
    for low, high in ((1, 3), (3, 5), (4, 8), (7, 8)):
        with pytest.raises(NotServed, match="range_query of daba_lite"):
            window.range_query(low, high)
    assert filled(KERNEL, range(1, 11)).range_query(4, 8) == {"sum": 22}


def test_check_finds_what_is_wrong():
    for entry, region in ((1, "front"), (2, "left"), (4, "right"), (6, "accumulator"), (8, "back")):
        window = filled(KERNEL, range(1, 11))
        spoil_state(window, entry)
        with pytest.raises(AssertionError, match=f"{region}: entry {entry}"):
            window.check()
    for field, name in (("back", "back"), ("middle_sum", "middle sum")):
        window = filled(KERNEL, range(1, 11))
        spoil(getattr(view(window).queue, field))
        with pytest.raises(AssertionError, match=f"{name}: word 1"):
            window.check()
    window = filled(KERNEL, range(1, 11))
    spoil_time(window)
    with pytest.raises(AssertionError, match="order"):
        window.check()


def test_a_window_that_slides_keeps_its_memory():
    room = capacities(make(KERNEL, LAST), 20, 1000)
    assert room[-1] == room[len(room) // 2] <= 1100 * 9 / 8 + 4
