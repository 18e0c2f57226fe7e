"""The invariants of the finger tree (FIBA §3.2), each with its name, by plain Python over a copy of the memory."""

import numpy as np

from kernels.aggregators.finger_tree import layout
from kernels.memory import as_float, entry, lend, load, store
from kernels.states import Plan, clear, fold

SMALLEST_NORMAL_FLOAT = 1 << 52


@entry
def _copy_words(target, source, words):
    for word in range(words):
        store(target, word, load(source, word))


@entry
def _fold_again(plan, into, states, stride, count):
    clear(plan, into)
    fold(plan, into, states, stride, count)


def _words(address: int, words: int) -> np.ndarray:
    copied = np.zeros(words, np.int64)
    _copy_words(lend(copied), address, words)
    return copied


class _Nodes:
    """A reading view of a tree's memory."""

    def __init__(self, tree: int, plan: Plan):
        self.header = _words(tree, layout.HEADER_WORDS)
        self.plan = plan
        self.max_arity = int(self.header[layout.MAX_ARITY])
        self.height = int(self.header[layout.HEIGHT])
        self.node_words = int(self.header[layout.NODE_BYTES]) // 8
        self.state_words = plan.state_words
        self.nodes = _words(int(self.header[layout.NODES]), int(self.header[layout.USED]) * self.node_words)

    def node(self, number: int) -> np.ndarray:
        return self.nodes[number * self.node_words:(number + 1) * self.node_words]

    def keys(self, number: int) -> list[int]:
        node = self.node(number)
        return [int(key) for key in node[layout.KEYS:layout.KEYS + node[layout.SIZE]]]

    def children(self, number: int) -> list[int]:
        node, first = self.node(number), layout.KEYS + self.max_arity
        return [int(child) for child in node[first:first + node[layout.SIZE]]]

    def states(self, number: int) -> np.ndarray:
        node, first = self.node(number), layout.KEYS + 2 * self.max_arity
        return node[first:first + node[layout.SIZE] * self.state_words].reshape(-1, self.state_words)

    def spine(self, side: int) -> list[int]:
        return [int(number) for number in self.header[side:side + self.height + 1]]


def check_tree(tree: int, plan: Plan) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold."""
    nodes = _Nodes(tree, plan)
    left, right = nodes.spine(layout.LEFT), nodes.spine(layout.RIGHT)
    assert left[-1] == right[-1], "root: both spines end in the root"
    _check_node(nodes, left[-1], nodes.height, None, None)
    _check_spines(nodes, left, right)


def _check_spines(nodes: _Nodes, left: list[int], right: list[int]) -> None:
    for level in range(nodes.height):
        assert nodes.children(left[level + 1])[0] == left[level], (
            f"left finger: level {level} is the first child above it"
        )
        assert nodes.children(right[level + 1])[-1] == right[level], (
            f"right finger: level {level} is the last child above it"
        )


def _check_node(nodes: _Nodes, number: int, level: int, low: int | None, high: int | None) -> None:
    """Height, order, arity and aggregates of the subtree whose times lie in [low, high)."""
    assert nodes.node(number)[layout.LEVEL] == level, f"height: node {number} stands at level {level}"
    _check_arity(nodes, number, level)
    keys = nodes.keys(number)
    bounded = keys if level == 0 else keys[1:]
    assert bounded == sorted(set(bounded)), f"order: keys of node {number} ascend"
    if bounded:
        assert low is None or bounded[0] >= low, (
            f"order: node {number} starts at or after its key in the parent"
        )
        assert high is None or bounded[-1] < high, (
            f"order: node {number} ends before its neighbour's key in the parent"
        )
    if level > 0:
        _check_children(nodes, number, level, [low, *keys[1:], high])


def _check_children(nodes: _Nodes, number: int, level: int, bounds: list) -> None:
    spines = (nodes.header[layout.LEFT + level - 1], nodes.header[layout.RIGHT + level - 1])
    for slot, child in enumerate(nodes.children(number)):
        _check_node(nodes, child, level - 1, bounds[slot], bounds[slot + 1])
        if child not in spines:
            _check_aggregate(nodes, child, nodes.states(number)[slot])


def _check_arity(nodes: _Nodes, number: int, level: int) -> None:
    size = int(nodes.node(number)[layout.SIZE])
    least = (
        1
        if level == nodes.height == 0
        else 2
        if level == nodes.height
        else int(nodes.header[layout.MIN_ARITY])
    )
    if level < nodes.height and number in (
        nodes.header[layout.LEFT + level],
        nodes.header[layout.RIGHT + level],
    ):
        least = 1
    empty_tree = level == nodes.height == 0 and size == 0
    assert empty_tree or least <= size <= nodes.max_arity, \
        f"arity: node {number} at level {level} has {size}, allowed {least} to {nodes.max_arity}"


def _check_aggregate(nodes: _Nodes, child: int, stored: np.ndarray) -> None:
    """The aggregate in the parent is that of the child's own states; sums of floats up to rounding."""
    states = np.ascontiguousarray(nodes.states(child))
    again = np.zeros(nodes.state_words, np.int64)
    _fold_again(lend(nodes.plan.block), lend(again), lend(states), 8 * nodes.state_words, len(states))
    for word, (got, wanted) in enumerate(zip(stored, again, strict=True)):
        equal = got == wanted or (_may_be_float(nodes.plan, int(got)) and _close(got, wanted))
        assert equal, f"aggregate: word {word} of node {child}'s aggregate in its parent"


def _may_be_float(plan: Plan, word: int) -> bool:
    """Small integers read as floats are all next to zero, so they never count as floats."""
    return abs(word) >= SMALLEST_NORMAL_FLOAT and any(spec.column_type == "float64" for spec in plan.specs)


def _close(first: np.int64, second: np.int64) -> bool:
    """Whether two words, read as floats, differ by rounding only."""
    pair = [as_float(int(word)) for word in (first, second)]
    return abs(pair[0] - pair[1]) <= 1e-9 * (1 + abs(pair[0]))
