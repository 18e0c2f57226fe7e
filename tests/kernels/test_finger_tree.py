"""The finger tree does what a sorted list does, and keeps its invariants after every step."""

import ctypes

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kernels.aggregators import make
from kernels.aggregators.finger_tree import check, layout
from kernels.monoids import AggregateSpec
from schemas.errors import AggregateOverflow, BadInput, NotServed, WrongParameter
from tests.kernels.plain import PlainWindow

FUNCTIONS = ["count", "sum", "min", "max"]
LOWEST, HIGHEST = -(1 << 63), (1 << 63) - 1
TIMES = st.one_of(
    st.integers(0, 60), st.integers(-3000, 3000), st.sampled_from([LOWEST, LOWEST + 1, HIGHEST - 1, HIGHEST])
)
VALUES = st.one_of(st.integers(-100, 100), st.none())


class TreeAgainstList(RuleBasedStateMachine):
    """Drives a tree and a plain window side by side."""

    @initialize(min_arity=st.sampled_from([2, 3, 8]))
    def start(self, min_arity):
        self.tree = make("finger_tree", FUNCTIONS, "int64", min_arity=min_arity)
        self.plain = PlainWindow(FUNCTIONS)
        self.now = 0

    def both(self, method, *arguments):
        got, wanted = getattr(self.tree, method)(*arguments), getattr(self.plain, method)(*arguments)
        assert got == wanted, f"{method}{arguments}"

    @rule(time=TIMES, value=VALUES)
    def insert_anywhere(self, time, value):
        self.both("insert", time, value)

    @rule(steps=st.lists(st.integers(0, 3), max_size=60), value=VALUES)
    def grow_in_order(self, steps, value):
        for step in steps:
            self.now += step
            self.both("insert", self.now, value)

    @rule(burst=st.lists(st.tuples(TIMES, VALUES), max_size=80))
    def insert_a_burst(self, burst):
        self.both("bulk_insert", [time for time, _ in burst], [value for _, value in burst])

    @rule(time=TIMES)
    def evict_up_to(self, time):
        self.both("bulk_evict", time)

    @rule(share=st.floats(0, 1))
    def evict_a_share_of_what_is_there(self, share):
        times = sorted(self.plain.entries)
        if times:
            self.both("bulk_evict", times[int(share * (len(times) - 1))])

    @rule(share=st.floats(0, 1), off=st.integers(0, 1))
    def evict_one(self, share, off):
        times = sorted(self.plain.entries)
        if times:
            self.both("evict", min(times[int(share * (len(times) - 1))] + off, HIGHEST))

    @rule()
    def evict_everything(self):
        self.both("bulk_evict", HIGHEST)

    @rule(low=TIMES, high=TIMES)
    def query_a_range(self, low, high):
        self.both("range_query", low, high)

    @rule()
    def query_all(self):
        self.both("query")

    @invariant()
    def invariants_hold(self):
        if hasattr(self, "tree"):
            self.tree.check()
            assert (self.tree.oldest(), self.tree.youngest(), len(self.tree)) == \
                (self.plain.oldest(), self.plain.youngest(), len(self.plain))


TestTreeAgainstList = TreeAgainstList.TestCase
TestTreeAgainstList.settings = settings(max_examples=40, stateful_step_count=30, deadline=None)


def filled(times, **options):
    tree = make("finger_tree", ["sum"], "int64", **options)
    tree.bulk_insert(list(times), list(times))
    return tree


def test_the_drawn_example_has_the_drawn_shape():
    """The docstring's tree: its query, an insertion in the middle, and the cut of the first leaf."""
    tree = filled(range(1, 15), min_arity=2)
    assert tree.query() == (105,)
    assert tree.range_query(5, 13) == (sum(range(5, 13)),)
    tree.bulk_evict(5)
    tree.check()
    assert (tree.oldest(), tree.query(), len(tree)) == (6, (90,), 9)


def test_check_finds_a_wrong_aggregate():
    tree = filled(range(100), min_arity=2)
    spoil(tree, lambda nodes: nodes.states(nodes.spine(layout.LEFT)[1])[1])
    with pytest.raises(AssertionError, match="aggregate"):
        tree.check()


def test_check_finds_a_wrong_order():
    tree = filled(range(100), min_arity=2)
    spoil(tree, lambda nodes: nodes.node(nodes.spine(layout.RIGHT)[0])[layout.KEYS:])
    with pytest.raises(AssertionError, match="order"):
        tree.check()


def spoil(tree, place):
    """Raise one word of a tree's memory by a million."""
    nodes = check._Nodes(tree._tree, tree._plan)
    before = nodes.nodes.copy()
    place(nodes)[0] += 1_000_000
    at = int((before != nodes.nodes).nonzero()[0][0])
    address = int(nodes.header[layout.NODES]) + 8 * at
    ctypes.c_int64.from_address(address).value = int(nodes.nodes[at])


def test_a_long_window_that_slides_keeps_its_memory():
    """Evicted subtrees are used again: the node block stops growing once the window has its size."""
    tree = make("finger_tree", ["sum"], "int64")
    sizes = []
    for start in range(0, 40_000, 500):
        tree.bulk_insert(range(start, start + 500), range(500))
        tree.bulk_evict(start - 5000)
        sizes.append(int(check._Nodes(tree._tree, tree._plan).header[layout.USED]))
    tree.check()
    assert len(tree) == 5499
    assert sizes[-1] == sizes[len(sizes) // 2]


def test_times_at_both_ends_of_int64():
    tree = filled([LOWEST, 0, HIGHEST])
    assert tree.range_query(LOWEST, HIGHEST) == (LOWEST,)
    assert (tree.oldest(), tree.youngest()) == (LOWEST, HIGHEST)


def test_a_sum_beyond_int64_is_an_error_only_while_it_is_one():
    tree = make("finger_tree", ["sum", "mean"], "int64")
    tree.insert(1, HIGHEST)
    tree.insert(2, HIGHEST)
    with pytest.raises(AggregateOverflow, match="int64"):
        tree.query()
    tree.insert(3, -HIGHEST)
    assert tree.query() == (HIGHEST, pytest.approx(HIGHEST / 3))


def test_floats_and_several_columns():
    tree = make(
        "finger_tree",
        [AggregateSpec("mean", 0, "float64"), AggregateSpec("min", 1, "float64"), AggregateSpec("count")],
    )
    tree.bulk_insert([2, 1], [(1.5, 0.0), (None, -0.0)])
    mean, least, count = tree.query()
    assert (mean, least, str(least), count) == (1.5, 0.0, "-0.0", 2)


def test_wrong_parameters_name_what_is_allowed():
    with pytest.raises(NotServed, match="finger_tree"):
        make("splay", ["sum"])
    with pytest.raises(WrongParameter, match="min_arity"):
        make("finger_tree", ["sum"], min_arity=1)
    with pytest.raises(WrongParameter, match="min_arity"):
        make("finger_tree", ["sum"], max_arity=4)
    with pytest.raises(NotServed, match="mean"):
        make("finger_tree", ["variance"])
    with pytest.raises(WrongParameter, match="int64"):
        filled([HIGHEST + 1])
    with pytest.raises(BadInput, match="NaN"):
        make("finger_tree", ["sum"]).insert(1, float("nan"))
