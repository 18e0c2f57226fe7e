"""The finger tree keeps its memory, and check() finds what is wrong in it."""

import numpy as np
import pytest

from windrow.kernels.aggregators import make
from windrow.kernels.aggregators.finger_tree.check import Nodes
from windrow.kernels.aggregators.finger_tree.layout import Tree
from windrow.kernels.runtime.struct import words_at
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import agg

INT = {"v": "int64"}
SUM = {"sum": agg("sum", "v")}


def filled(times, **options):
    tree = make("finger_tree", SUM, column_types=INT, **options)
    tree.bulk_insert(list(times), list(times))
    return tree


def test_check_finds_a_wrong_aggregate():
    tree = filled(range(100), min_arity=2)
    nodes = Nodes(Tree(tree._address), tree._plan)
    words_at(nodes.state_at(nodes.tree.left[1], 1, 1))[0] += 1_000_000
    with pytest.raises(AssertionError, match="aggregate"):
        tree.check()


def test_check_finds_a_wrong_order():
    tree = filled(range(100), min_arity=2)
    nodes = Nodes(Tree(tree._address), tree._plan)
    nodes.node(nodes.tree.right[0]).times[0] += 1_000_000
    with pytest.raises(AssertionError, match="order"):
        tree.check()


def test_a_long_window_that_slides_keeps_its_memory():
    """Evicted subtrees are used again: the node block stops growing once the window has its size."""
    tree = make("finger_tree", SUM, column_types=INT)
    sizes = []
    for start in range(0, 40_000, 500):
        tree.bulk_insert(range(start, start + 500), range(500))
        tree.bulk_evict(start - 5000)
        sizes.append(Tree(tree._address).used)
    tree.check()
    assert len(tree) == 5499
    assert sizes[-1] == sizes[len(sizes) // 2]


def test_an_eviction_frees_nothing_at_once_unless_asked_to():
    """The deferred free list: a whole subtree is put away with its children attached (FIBA §6)."""
    lists = {}
    for deferred in (True, False):
        tree = filled(range(5000), min_arity=2, deferred_free=deferred)
        tree.bulk_evict(4000)
        memory = Tree(tree._address)
        lists[deferred] = bool(memory.free_inner), bool(memory.open_inner)
        tree.check()
    assert lists[True][0] and not lists[False][0] and lists[False][1]


def test_a_tree_without_bulk_operations_has_code_of_its_own():
    assert make("finger_tree_single", SUM).dispatch() is not make("finger_tree", SUM).dispatch()


def test_min_arity_is_checked():
    for wrong in (1, 2.5, True):
        with pytest.raises(WrongParameter, match="min_arity"):
            make("finger_tree", SUM, min_arity=wrong)
    with pytest.raises(WrongParameter, match="deferred_free"):
        make("finger_tree", SUM, deferred_free=1)


@pytest.mark.parametrize("first", [0, 1], ids=["from the older one's time on", "after it"])
def test_a_burst_between_any_two_neighbours_is_put_in_its_place(first):
    """The older one may be the last of a leaf, behind which a burst would only be appended."""
    times, burst = np.arange(60) * 100, np.arange(first, first + 20)
    for gap in range(59):
        tree = filled(times, min_arity=4)
        tree.bulk_insert(burst + gap * 100, burst)
        tree.check()
        known = [*zip(times, times, strict=True), *zip(burst + gap * 100, burst, strict=True)]
        for low in range(gap * 100, gap * 100 + 120, 7):
            held = [int(value) for time, value in known if low <= time < low + 30]
            assert tree.range_query(low, low + 30) == {"sum": sum(held) if held else None}, (gap, low)
