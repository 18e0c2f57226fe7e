"""The invariants of the monoid trees (MTA §4.1.1, §4.2.1), each with its name, by plain Python over a copy."""

import numpy as np

from kernels.aggregators._forest import layout, words
from kernels.memory import as_float, entry, lend, load
from kernels.plan import Plan
from kernels.states import clear, copy_words, fold

SMALLEST_NORMAL_FLOAT = 1 << 52


@entry
def read_words(target, source, count):
    copy_words(target, source, count)


@entry
def read_ring(s, level, first, end, target):
    """Copy the nodes [first, end) of a level that has them all in its ring."""
    for index in range(first, end):
        layout.copy_node(s, target, layout.node(s, level, index, 0))
        target += load(s, words.NODE_BYTES)


@entry
def fold_again(plan, into, states, stride, count, groups):
    """Fold `groups` times `count` states; results stand one after the other, as the states do."""
    for group in range(groups):
        clear(plan, into + group * stride)
        fold(plan, into + group * stride, states + group * count * stride, stride, count)


class Nodes:
    """A copy of a forest. stored: what serves it, None in memory."""

    def __init__(self, s: int, plan: Plan, stored=None):
        self.address, self.plan, self._stored = s, plan, stored
        self.header = np.zeros(words.HEADER_WORDS, np.int64)
        read_words(lend(self.header), s, words.HEADER_WORDS)
        self.first, self.end, self.top = (int(self.header[word]) for word in (words.FIRST, words.END, words.TOP))
        self.node_words = 1 + plan.state_words
        self.scratch = np.zeros((words.SCRATCH_NODES, self.node_words), np.int64)
        read_words(lend(self.scratch), int(self.header[words.SCRATCH]), self.scratch.size)
        self.leaves = self.level(0, self.first, self.end)

    def level(self, level: int, first: int, end: int) -> np.ndarray:
        """The nodes [first, end) of a level, a row each."""
        if first >= end:
            return np.zeros((0, self.node_words), np.int64)
        if self._stored is None:
            nodes = np.zeros((end - first, self.node_words), np.int64)
            read_ring(self.address, level, first, end, lend(nodes))
            return nodes
        size = int(self.header[words.PAGE_NODES])
        pages = [self._stored.read_page(level, page) for page in range(first // size, -(-end // size))]
        nodes = np.frombuffer(b"".join(pages), np.int64).reshape(-1, self.node_words)
        return nodes[first % size:first % size + end - first]

    def fold(self, first: int, end: int) -> np.ndarray:
        """State of the updates in the places [first, end), from the leaves."""
        first, end = max(first, self.first) - self.first, min(end, self.end) - self.first
        return self.folded(self.leaves[first:max(first, end)], max(0, end - first), 1)[0]

    def folded(self, nodes: np.ndarray, count: int, groups: int) -> np.ndarray:
        """The states of `groups` times `count` nodes, folded."""
        states = np.ascontiguousarray(nodes[:, 1:])
        into = np.zeros((groups, self.plan.state_words), np.int64)
        address = lend(states) if states.size else 0
        fold_again(lend(self.plan.block), lend(into), address, 8 * self.plan.state_words, count, groups)
        return into

    def expect(self, got: np.ndarray, first: int, end: int, what: str) -> None:
        """Assert that a state is that of the places [first, end)."""
        assert self.are_equal(got, self.fold(first, end)), what

    def are_equal(self, states: np.ndarray, others: np.ndarray) -> bool:
        """Whether all words are; sums of floats up to rounding."""
        differ = states != others
        return all(map(self._close, states[differ].tolist(), others[differ].tolist()))

    def _close(self, one: int, other: int) -> bool:
        """Small integers read as floats are all next to zero, so they never count as floats."""
        if abs(one) < SMALLEST_NORMAL_FLOAT or all(spec.column_type != "float64" for spec in self.plan.specs):
            return False
        return abs(as_float(one) - as_float(other)) <= 1e-9 * (1 + abs(as_float(one)))


def check_forest(s: int, plan: Plan, stored=None) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold."""
    nodes = Nodes(s, plan, stored)
    _check_order(nodes)
    if nodes.first == nodes.end:
        return
    has_heads = bool(nodes.header[words.HAS_HEADS])
    for level in range(nodes.top + 1):
        if has_heads and level:
            _check_level(nodes, level, (nodes.first >> level) + 1, nodes.end - 1 >> level)
        else:
            _check_level(nodes, level, -(-nodes.first >> level), (nodes.end + 1 >> level) - 1)
    (_check_heads if has_heads else _check_amortized)(nodes)


def _check_order(nodes: Nodes) -> None:
    times = nodes.leaves[:, 0]
    has_open, open_time = nodes.header[words.HAS_OPEN], nodes.header[words.OPEN_TIME]
    assert nodes.first <= nodes.end, "extent: the window ends where it begins, or behind"
    assert (times[1:] > times[:-1]).all(), "order: times of updates ascend"
    if nodes.first < nodes.end:
        assert has_open, "open entry: a window that has updates has the youngest apart"
        assert times[-1] < open_time, "order: the open entry is the youngest"
        assert times[0] == nodes.header[words.FIRST_TIME], "order: the oldest time is that of the first update"


def _check_level(nodes: Nodes, level: int, begin: int, end: int) -> None:
    """The complete nodes [begin, end) of a level: those whose first update is in the window."""
    assert nodes.first >> level <= max(end, 1), f"invariant 1: level {level} has all pairs between its first and last"
    if level == 0 or begin >= end:
        return
    got, children = nodes.level(level, begin, end), nodes.level(level - 1, 2 * begin, 2 * end)
    assert (got[:, 0] == children[1::2, 0]).all(), f"theorem 1: nodes of level {level} have their children's times"
    assert nodes.are_equal(got[:, 1:], nodes.folded(children, 2, end - begin)), \
        f"theorem 1: nodes of level {level} are the aggregates of their children"


def _check_heads(nodes: Nodes) -> None:
    """The tree that keeps the aggregate of all (log MTA)."""
    last = nodes.end - 1
    for level in range(nodes.top + 1):
        width = (last >> level) - (nodes.first >> level) + 1
        assert width <= 2 or level < nodes.top, "invariant 2: the top level has two nodes, none of them empty"
        assert width > 2 or level == nodes.top, "invariant 2: only the top level has two nodes"
    for level in range(1, nodes.top + 1):
        border = ((nodes.first >> level) + 1) << level
        nodes.expect(nodes.scratch[words.HEADS + level, 1:], nodes.first, border, f"head of level {level}")
        tail = nodes.scratch[words.TAILS + level]
        nodes.expect(tail[1:], last >> level << level, nodes.end, f"tail of level {level}")
        assert tail[0] == nodes.leaves[-1, 0], f"tail of level {level}: its time is the youngest update's"


def _check_amortized(nodes: Nodes) -> None:
    """The forest, its result pair and its stack (amortised MTA)."""
    ends = [(nodes.end + 1 >> level) - 1 for level in range(nodes.top + 2)]
    for level, end in enumerate(ends):
        exists = nodes.first >> level < end
        assert exists == (level <= nodes.top), f"invariant 2: level {level} has a node, up to the top level"
        if 0 < level <= nodes.top:
            assert end == -(-ends[level - 1] // 2) - 1, f"invariant 3: the last pair of level {level - 1} is a root"
    border = ends[nodes.top] << nodes.top
    nodes.expect(nodes.scratch[words.LEFT, 1:], nodes.first, border, "result pair: R0 is the leftmost tree")
    nodes.expect(nodes.scratch[words.RIGHT, 1:], border, nodes.end, "result pair: R1 is the other trees")
    _check_stack(nodes, ends, border)


def _check_stack(nodes: Nodes, ends: list[int], border: int) -> None:
    heads = [(nodes.first >> level, level) for level in range(nodes.top, -1, -1)]
    full = [(head, level) for head, level in heads if head % 2 == 0 and head + 1 < ends[level]]
    assert len(full) == nodes.header[words.DEPTH], "stack: one entry per head pair that is full"
    for entry_number, (head, level) in enumerate(full):
        nodes.expect(nodes.scratch[words.STACK + entry_number, 1:], (head + 1) << level, border,
                     f"stack: entry {entry_number} is the leftmost tree without the head of level {level}")
