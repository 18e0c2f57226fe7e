"""The amortised monoid tree does what a sorted list does, keeps its invariants, and goes as in figures 4 and 5.

The youngest update is held open, so the figures' forests are windows of one update more here.
"""

import pytest

from tests.support.kernels.machine import machine_of
from tests.support.kernels.monoid_trees import ORDERED, filled, spoil, sum_of, view

KERNEL = "amortized_monoid_tree"
OPEN = 1000
TestAmortizedMonoidTree = machine_of(KERNEL, in_order=True, nightly=True)
TestWithoutCommutativity = machine_of(KERNEL, ORDERED, in_order=True)


def forest_of(values):
    """A window whose forest holds the values, at times 1, 2, …; an update of value OPEN is open behind them."""
    return filled(KERNEL, [*values, OPEN])


def parts(window) -> tuple[int, int, list[int]]:
    """(R0, R1, stack from its top down) of sums."""
    seen = view(window)
    window.check()
    stack = [sum_of(seen.nth(seen.forest.stack, number)) for number in range(seen.forest.depth)]
    return sum_of(seen.forest.left), sum_of(seen.forest.right), stack[::-1]


def test_figure_4_structure_and_insertion():
    window = forest_of([1, 2, 1, 2, 1, 2, 1, 2])
    assert parts(window) == (6, 6, [5, 3])
    assert window.query() == {"sum": 12 + OPEN}
    grown = forest_of([1, 2, 1, 2, 1, 2, 1, 2, 1])
    assert parts(grown)[:2] == (6, 7)


def test_figure_4_evicting_the_first_takes_5_from_the_stack():
    window = forest_of([1, 2, 1, 2, 1, 2, 1, 2])
    window.evict(1)
    assert parts(window) == (5, 6, [3])


def test_figure_5_single_evictions():
    window = forest_of([1, 3, 2, 1, 2, 1, 1, 0, 3, 1])
    assert parts(window) == (7, 8, [6, 3])
    assert window.query() == {"sum": 15 + OPEN}
    window.evict(1)
    assert parts(window) == (6, 8, [3])
    assert window.query() == {"sum": 14 + OPEN}
    window.evict(2)
    assert parts(window) == (3, 8, [1])  # ⟨2, 1⟩ is the new head: 1 ⊗ ∅ on the stack


def test_when_the_leftmost_tree_is_gone_the_next_one_takes_its_place():
    """Algorithm 6 as printed leaves R0 and the stack empty here; then the next eviction would give a wrong sum."""
    window = forest_of([1, 3, 2, 1, 2, 1, 1, 0, 3, 1])
    for time in range(1, 5):
        window.evict(time)
    assert parts(window) == (4, 4, [2, 1])
    window.evict(5)
    assert parts(window) == (2, 4, [1])


def test_evictions_and_insertions_are_constant_on_average():
    """A window that slides by one: the stack is never longer than the forest is high."""
    window = filled(KERNEL, range(300))
    for time in range(301, 3000):
        window.insert(time, 1)
        window.evict(time - 300)
    forest = view(window).forest
    assert forest.depth <= forest.top + 1 <= 9


@pytest.mark.parametrize(
    ("node", "named"),
    [
        (lambda seen: seen.forest.left, "R0 is the leftmost"),
        (lambda seen: seen.forest.right, "R1 is the other"),
        (lambda seen: seen.nth(seen.forest.stack, 1), "stack: entry 1"),
    ],
)
def test_check_finds_a_wrong_aggregate(node, named):
    window = filled(KERNEL, range(100))
    spoil(node(view(window)))
    with pytest.raises(AssertionError, match=named):
        window.check()
