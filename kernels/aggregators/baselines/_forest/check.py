"""The invariants of the monoid trees (MTA §4.1.1, §4.2.1), each with its name, by plain Python over the memory as it
stands."""

import numpy as np

from windrow.kernels.aggregators._dispatch import Entry
from windrow.kernels.aggregators.baselines._forest import Forest
from windrow.kernels.objects.checking import differing_word, folded, folded_in_groups
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.states.state_plan import Plan


class ForestView:
    """A forest's nodes as arrays, a row each: time, state. stored: what serves it, None in memory."""

    def __init__(self, address: int, plan: Plan, stored=None):
        self.forest, self.plan, self._stored = Forest(address), plan, stored
        self.leaves = self.level(0, self.forest.first, self.forest.end)

    def level(self, height: int, first: int, end: int) -> np.ndarray:
        """The nodes [first, end) of a level."""
        words = 1 + self.plan.state_words
        if first >= end:
            return np.zeros((0, words), np.int64)
        if self._stored is None:
            level = self.forest.levels[height]
            return words_of(level.ring, level.mask + 1, words)[np.arange(first, end) & level.mask]
        size = self.forest.page_nodes
        pages = [self._stored.read_page(height, page) for page in range(first // size, -(-end // size))]
        nodes = np.frombuffer(b"".join(pages), np.int64).reshape(-1, words)
        return nodes[first % size : first % size + end - first]

    def nth(self, first: int, number: int) -> Entry:
        """One of the nodes that are in no level, of those that stand together from `first` on."""
        return Entry(first + number * self.forest.node_bytes)

    def expect(self, node: Entry, first: int, end: int, what: str) -> None:
        """Assert that a node's state is that of the updates in the places [first, end)."""
        first, end = max(first, self.forest.first) - self.forest.first, min(end, self.forest.end) - self.forest.first
        wanted = folded(self.plan, self.leaves[first : max(first, end), 1:])
        state = words_of(node.state.address, self.plan.state_words)
        assert differing_word(self.plan, state, wanted) is None, what


def check_forest(address: int, plan: Plan, stored=None) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold."""
    view = ForestView(address, plan, stored)
    forest = view.forest
    _check_order(view)
    if forest.first == forest.end:
        return
    for height in range(forest.top + 1):
        if forest.has_heads and height:
            _check_level(view, height, (forest.first >> height) + 1, forest.end - 1 >> height)
        else:
            _check_level(view, height, -(-forest.first >> height), (forest.end + 1 >> height) - 1)
    (_check_heads if forest.has_heads else _check_amortized)(view)


def _check_order(view: ForestView) -> None:
    times, forest = view.leaves[:, 0], view.forest
    assert forest.first <= forest.end, "extent: the window ends where it begins, or behind"
    assert (times[1:] > times[:-1]).all(), "order: times of updates ascend"
    if forest.first < forest.end:
        assert forest.has_open, "open entry: a window that has updates has the youngest apart"
        assert times[-1] < forest.open.time, "order: the open entry is the youngest"
        assert times[0] == forest.first_time, "order: the oldest time is that of the first update"


def _check_level(view: ForestView, height: int, begin: int, end: int) -> None:
    """The complete nodes [begin, end) of a level: those whose first update is in the window."""
    assert view.forest.first >> height <= max(end, 1), (
        f"invariant 1: level {height} has all pairs between its first and last"
    )
    if height == 0 or begin >= end:
        return
    got, children = view.level(height, begin, end), view.level(height - 1, 2 * begin, 2 * end)
    assert (got[:, 0] == children[1::2, 0]).all(), f"theorem 1: nodes of level {height} have their children's times"
    wanted = folded_in_groups(view.plan, children[:, 1:], 2)
    assert differing_word(view.plan, got[:, 1:], wanted) is None, (
        f"theorem 1: nodes of level {height} are the aggregates of their children"
    )


def _check_heads(view: ForestView) -> None:
    """The tree that keeps the aggregate of all (log MTA)."""
    forest, last = view.forest, view.forest.end - 1
    for height in range(forest.top + 1):
        width = (last >> height) - (forest.first >> height) + 1
        assert width <= 2 or height < forest.top, "invariant 2: the top level has two nodes, none of them empty"
        assert width > 2 or height == forest.top, "invariant 2: only the top level has two nodes"
    for height in range(1, forest.top + 1):
        border = ((forest.first >> height) + 1) << height
        view.expect(view.nth(forest.heads, height), forest.first, border, f"head of level {height}")
        tail = view.nth(forest.tails, height)
        view.expect(tail, last >> height << height, forest.end, f"tail of level {height}")
        assert tail.time == view.leaves[-1, 0], f"tail of level {height}: its time is the youngest update's"


def _check_amortized(view: ForestView) -> None:
    """The forest, its result pair and its stack (amortised MTA)."""
    forest = view.forest
    ends = [(forest.end + 1 >> height) - 1 for height in range(forest.top + 2)]
    for height, end in enumerate(ends):
        exists = forest.first >> height < end
        assert exists == (height <= forest.top), f"invariant 2: level {height} has a node, up to the top level"
        if 0 < height <= forest.top:
            assert end == -(-ends[height - 1] // 2) - 1, f"invariant 3: the last pair of level {height - 1} is a root"
    border = ends[forest.top] << forest.top
    view.expect(forest.left, forest.first, border, "result pair: R0 is the leftmost tree")
    view.expect(forest.right, border, forest.end, "result pair: R1 is the other trees")
    _check_stack(view, ends, border)


def _check_stack(view: ForestView, ends: list[int], border: int) -> None:
    forest = view.forest
    heads = [(forest.first >> height, height) for height in range(forest.top, -1, -1)]
    full = [(head, height) for head, height in heads if head % 2 == 0 and head + 1 < ends[height]]
    assert len(full) == forest.depth, "stack: one entry per head pair that is full"
    for number, (head, height) in enumerate(full):
        view.expect(
            view.nth(forest.stack, number),
            (head + 1) << height,
            border,
            f"stack: entry {number} is the leftmost tree without the head of level {height}",
        )
