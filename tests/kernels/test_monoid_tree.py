"""The monoid tree (log MTA) does what a sorted list does, and keeps its invariants after every step."""

import pytest

from tests.support.kernels.machine import machine_of
from tests.support.kernels.monoid_trees import ORDERED, SUM, filled, spoil, sum_of, view

TestMonoidTree = machine_of("monoid_tree", in_order=True, nightly=True)
TestWithoutCommutativity = machine_of("monoid_tree", ORDERED, in_order=True)


def test_the_drawn_example_has_the_drawn_shape():
    """The sketch in tree.py: 1 … 9 in the tree and 10 open, after three evictions."""
    tree = filled("monoid_tree", range(1, 11))
    for time in (1, 2, 3):
        tree.evict(time)
    tree.check()
    seen = view(tree)
    assert seen.forest.top == 3
    assert [sum_of(seen.nth(seen.forest.heads, height)) for height in (1, 2, 3)] == [4, 4, 30]
    assert [sum_of(seen.nth(seen.forest.tails, height)) for height in (1, 2, 3)] == [9, 9, 9]
    assert tree.query() == {"sum": 39 + 10}


@pytest.mark.slow
def test_the_height_follows_the_window_not_the_stream():
    """The root of the paper is made new whenever it is full: there a window of 3 over 10,000 updates has 14 levels."""
    tree = filled("monoid_tree", range(10_000), SUM)
    tree.bulk_evict(9_997)
    assert len(tree) == 3
    for time in range(10_001, 20_000):
        tree.insert(time, 1)
        tree.evict(time - 3)
        assert view(tree).forest.top <= 1


@pytest.mark.parametrize(
    ("nodes", "height", "named"), [("heads", 2, "head of level 2"), ("tails", 1, "tail of level 1")]
)
def test_check_finds_a_wrong_aggregate(nodes, height, named):
    tree = filled("monoid_tree", range(100))
    tree.bulk_evict(3)
    seen = view(tree)
    spoil(seen.nth(getattr(seen.forest, nodes), height))
    with pytest.raises(AssertionError, match=named):
        tree.check()


def test_check_finds_a_wrong_node():
    tree = filled("monoid_tree", range(100))
    seen = view(tree)
    spoil(seen.nth(seen.forest.levels[1].ring, 5))
    with pytest.raises(AssertionError, match="theorem 1: nodes of level 1 are the aggregates"):
        tree.check()
