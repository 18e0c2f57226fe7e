"""The monoid tree (log MTA) does what a sorted list does, and keeps its invariants after every step."""

import ctypes

import pytest

from kernels.aggregators._forest import check, words
from tests.kernels.machine import machine_of
from tests.kernels.monoid_trees import ORDERED, SUM, filled

TestMonoidTree = machine_of("monoid_tree", in_order=True)
TestWithoutCommutativity = machine_of("monoid_tree", ORDERED, in_order=True)


def test_the_drawn_example_has_the_drawn_shape():
    """The sketch in tree.py: 1 … 9 in the tree and 10 open, after three evictions."""
    tree = filled("monoid_tree", range(1, 11))
    for time in (1, 2, 3):
        tree.evict(time)
    tree.check()
    nodes = check.Nodes(tree._address, tree._plan)
    sums = nodes.scratch[:, 1:3].sum(axis=1)  # a sum's state is two words of it, and a count
    assert nodes.top == 3
    assert [int(sums[words.HEADS + level]) for level in (1, 2, 3)] == [4, 4, 30]
    assert [int(sums[words.TAILS + level]) for level in (1, 2, 3)] == [9, 9, 9]
    assert tree.query() == {"sum": 39 + 10}


def test_the_height_follows_the_window_not_the_stream():
    """The root of the paper is made new whenever it is full: there a window of 3 over 10,000 updates has 14 levels."""
    tree = filled("monoid_tree", range(10_000), SUM)
    tree.bulk_evict(9_997)
    assert len(tree) == 3
    for time in range(10_001, 20_000):
        tree.insert(time, 1)
        tree.evict(time - 3)
        assert check.Nodes(tree._address, tree._plan).top <= 1


@pytest.mark.parametrize(("scratch_node", "named"), [(words.HEADS + 2, "head of level 2"),
                                                     (words.TAILS + 1, "tail of level 1")])
def test_check_finds_a_wrong_aggregate(scratch_node, named):
    tree = filled("monoid_tree", range(100))
    tree.bulk_evict(3)
    nodes = check.Nodes(tree._address, tree._plan)
    at = int(nodes.header[words.SCRATCH]) + 8 * (nodes.node_words * scratch_node + 2)
    ctypes.c_int64.from_address(at).value += 1_000_000
    with pytest.raises(AssertionError, match=named):
        tree.check()


def test_check_finds_a_wrong_node():
    tree = filled("monoid_tree", range(100))
    nodes = check.Nodes(tree._address, tree._plan)
    ring = int(nodes.header[words.LEVELS + words.LEVEL_WORDS + words.RING])
    ctypes.c_int64.from_address(ring + 8 * (5 * nodes.node_words + 2)).value += 1
    with pytest.raises(AssertionError, match="theorem 1: nodes of level 1 are the aggregates"):
        tree.check()
