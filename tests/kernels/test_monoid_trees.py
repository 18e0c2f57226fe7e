"""The monoid tree (log MTA) and the amortised one: their height and work, and what check() finds."""

import pytest

from windrow.kernels.aggregators import make
from windrow.kernels.aggregators.baselines._forest.check import ForestView
from windrow.schemas.query import agg

KERNELS = TREE, AMORTIZED = "monoid_tree", "amortized_monoid_tree"
INT = {"v": "int64"}
SUM = {"sum": agg("sum", "v")}


def filled(kernel, values):
    """A window of the values at times 1, 2, …"""
    window = make(kernel, SUM, column_types=INT)
    window.bulk_insert(range(1, len(values) + 1), list(values))
    return window


def view(window):
    """A window's forest, and its nodes."""
    return ForestView(window._address, window._plan)


def test_evictions_and_insertions_are_constant_on_average():
    """A window that slides by one: the stack is never longer than the forest is high."""
    window = filled(AMORTIZED, range(300))
    for time in range(301, 3000):
        window.insert(time, 1)
        window.evict(time - 300)
    forest = view(window).forest
    assert forest.depth <= forest.top + 1 <= 9


@pytest.mark.slow
def test_the_height_follows_the_window_not_the_stream():
    """The root of the paper is made new whenever it is full: there a window of 3 over 10,000 updates has 14 levels."""
    tree = filled(TREE, range(10_000))
    tree.bulk_evict(9_997)
    assert len(tree) == 3
    for time in range(10_001, 20_000):
        tree.insert(time, 1)
        tree.evict(time - 3)
        assert view(tree).forest.top <= 1


@pytest.mark.parametrize(
    ("kernel", "node", "named"),
    [
        (AMORTIZED, lambda seen: seen.forest.left, "R0 is the leftmost"),
        (AMORTIZED, lambda seen: seen.forest.right, "R1 is the other"),
        (AMORTIZED, lambda seen: seen.nth(seen.forest.stack, 1), "stack: entry 1"),
        (TREE, lambda seen: seen.nth(seen.forest.heads, 2), "head of level 2"),
        (TREE, lambda seen: seen.nth(seen.forest.tails, 1), "tail of level 1"),
        (TREE, lambda seen: seen.nth(seen.forest.levels[1].ring, 5), "theorem 1: nodes of level 1 are the aggregates"),
    ],
)
def test_check_finds_a_wrong_aggregate(kernel, node, named):
    window = filled(kernel, range(100))
    window.bulk_evict(3)
    node(view(window)).state[1] += 1_000_000
    with pytest.raises(AssertionError, match=named):
        window.check()
