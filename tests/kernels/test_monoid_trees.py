"""The monoid tree (log MTA) and the amortised one do what a sorted list does, keep their invariants, and go as in the
paper's figures. The youngest update is held open, so the figures' forests are windows of one update more here."""

import pytest

from kernels.aggregators import make
from kernels.aggregators.baselines._forest.check import ForestView
from schemas.query import agg
from tests.support.kernels.machine import machine_of

KERNELS = TREE, AMORTIZED = "monoid_tree", "amortized_monoid_tree"
INT = {"v": "int64"}
SUM = {"sum": agg("sum", "v")}
ORDERED = {"last": agg("last", "v"), "events": agg("count"), "sum": agg("sum", "v")}
"""The last value doesn't commute."""
OPEN = 1000
TestMonoidTree = machine_of(TREE, in_order=True, nightly=True)
TestMonoidTreeOrdered = machine_of(TREE, ORDERED, in_order=True)
TestAmortizedMonoidTree = machine_of(AMORTIZED, in_order=True, nightly=True)
TestAmortizedMonoidTreeOrdered = machine_of(AMORTIZED, ORDERED, in_order=True)


def filled(kernel, values):
    """A window of the values at times 1, 2, …"""
    window = make(kernel, SUM, column_types=INT)
    window.bulk_insert(range(1, len(values) + 1), list(values))
    return window


def view(window):
    """A window's forest, and its nodes."""
    return ForestView(window._address, window._plan)


def sum_of(node) -> int:
    """Of a node of SUM: its state is two words of the sum, and a count."""
    return node.state[0] * (1 << 32) + node.state[1]


def parts(window) -> tuple[int, int, list[int]]:
    """(R0, R1, stack from its top down) of sums."""
    seen = view(window)
    window.check()
    stack = [sum_of(seen.nth(seen.forest.stack, number)) for number in range(seen.forest.depth)]
    return sum_of(seen.forest.left), sum_of(seen.forest.right), stack[::-1]


def test_the_monoid_tree_has_the_drawn_shape():
    """The sketch in tree.py: 1 … 9 in the tree and 10 open, after three evictions."""
    tree = filled(TREE, range(1, 11))
    for time in (1, 2, 3):
        tree.evict(time)
    tree.check()
    seen = view(tree)
    assert seen.forest.top == 3
    assert [sum_of(seen.nth(seen.forest.heads, height)) for height in (1, 2, 3)] == [4, 4, 30]
    assert [sum_of(seen.nth(seen.forest.tails, height)) for height in (1, 2, 3)] == [9, 9, 9]
    assert tree.query() == {"sum": 39 + 10}


FIG_4, FIG_5 = [1, 2, 1, 2, 1, 2, 1, 2], [1, 3, 2, 1, 2, 1, 1, 0, 3, 1]


@pytest.mark.parametrize(
    ("values", "evicted", "wanted"),
    [
        (FIG_4, 0, (6, 6, [5, 3])),
        (FIG_4, 1, (5, 6, [3])),
        (FIG_5, 0, (7, 8, [6, 3])),
        (FIG_5, 1, (6, 8, [3])),
        (FIG_5, 2, (3, 8, [1])),  # ⟨2, 1⟩ is the new head: 1 ⊗ ∅ on the stack
        # Algorithm 6 as printed leaves R0 and the stack empty here; then the next eviction would give a wrong sum.
        (FIG_5, 4, (4, 4, [2, 1])),
        (FIG_5, 5, (2, 4, [1])),
    ],
)
def test_figures_4_and_5_single_evictions(values, evicted, wanted):
    window = filled(AMORTIZED, [*values, OPEN])
    for time in range(1, evicted + 1):
        window.evict(time)
    assert parts(window) == wanted
    assert window.query() == {"sum": sum(values[evicted:]) + OPEN}


def test_figure_4_insertion():
    assert parts(filled(AMORTIZED, [*FIG_4, 1, OPEN]))[:2] == (6, 7)


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
