"""The invariants of the finger tree (FIBA §3.2), each with its name, by plain Python over a copy of the memory."""

import numpy as np

from kernels.aggregators import _doors
from kernels.aggregators.finger_tree import layout
from kernels.aggregators.finger_tree.door import door
from kernels.calls import ask_5
from kernels.memory import as_float, entry, lend, load
from kernels.plan import Plan
from kernels.states import clear, copy_words, fold

SMALLEST_NORMAL_FLOAT = 1 << 52


@entry
def _copy(target, source, words):
    copy_words(target, source, words)


@entry
def _fold_again(plan, into, states, stride, count):
    clear(plan, into)
    fold(plan, into, states, stride, count)


@entry
def _query(door, tree, into):
    copy_words(into, ask_5(door, tree, _doors.QUERY, 0, 0, 0), load(tree, layout.STATE_BYTES) // 8)


def _words(address: int, words: int) -> np.ndarray:
    copied = np.zeros(words, np.int64)
    _copy(lend(copied), address, words)
    return copied


class _Nodes:
    """A reading view of a tree's memory."""

    def __init__(self, tree: int, plan: Plan):
        self.header = _words(tree, layout.HEADER_WORDS)
        self.plan = plan
        self.height = int(self.header[layout.HEIGHT])
        self.state_words = plan.state_words
        self.words = _words(int(self.header[layout.NODES]), int(self.header[layout.USED]) // 8)

    def node(self, name: int, level: int) -> np.ndarray:
        first, size = int(name) // 8, int(self.header[layout.INNER_BYTES if level else layout.LEAF_BYTES]) // 8
        return self.words[first:first + size]

    def slots(self, name: int, level: int) -> slice:
        node = self.node(name, level)
        return slice(0 if level else int(node[layout.FIRST]), int(node[layout.END]))

    def keys(self, name: int, level: int) -> list[int]:
        return self.node(name, level)[layout.KEYS:][self.slots(name, level)].tolist()

    def children(self, name: int, level: int) -> list[int]:
        first = layout.KEYS + int(self.header[layout.MAX_ARITY])
        return self.node(name, level)[first:][self.slots(name, level)].tolist()

    def states(self, name: int, level: int) -> np.ndarray:
        first = int(self.header[layout.INNER_STATES if level else layout.LEAF_STATES]) // 8
        return self.node(name, level)[first:].reshape(-1, self.state_words)[self.slots(name, level)]

    def spine(self, side: int) -> list[int]:
        return self.header[side:side + self.height + 1].tolist()

    def entries(self, name: int, level: int) -> list[np.ndarray]:
        """States of all entries below a node, in order."""
        if level == 0:
            return list(self.states(name, 0))
        return [state for child in self.children(name, level) for state in self.entries(child, level - 1)]


def check_tree(tree: int, plan: Plan) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold."""
    nodes = _Nodes(tree, plan)
    left, right = nodes.spine(layout.LEFT), nodes.spine(layout.RIGHT)
    assert left[-1] == right[-1], "root: both spines end in the root"
    _check_spines(nodes, left, right)
    _check_node(nodes, left[-1], nodes.height, None, None)
    _check_pending(nodes, right)
    _check_query(tree, plan)


def _check_spines(nodes: _Nodes, left: list[int], right: list[int]) -> None:
    for level in range(nodes.height):
        assert nodes.children(left[level + 1], level + 1)[0] == left[level], (
            f"left finger: level {level} is the first child above it")
        assert nodes.children(right[level + 1], level + 1)[-1] == right[level], (
            f"right finger: level {level} is the last child above it")


def _check_node(nodes: _Nodes, name: int, level: int, low: int | None, high: int | None) -> None:
    """Height, order, arity and aggregates of the subtree whose times lie in [low, high)."""
    assert level == 0 or nodes.node(name, level)[layout.LEVEL] == level, f"height: node {name} stands at level {level}"
    assert level > 0 or nodes.slots(name, 0).start == 0 or name == nodes.header[layout.LEFT], (
        f"left finger: only the left leaf has evicted entries, not leaf {name}")
    _check_arity(nodes, name, level)
    keys = nodes.keys(name, level)
    bounded = keys if level == 0 else keys[1:]
    assert bounded == sorted(set(bounded)), f"order: keys of node {name} ascend"
    if bounded:
        assert low is None or bounded[0] >= low, f"order: node {name} starts at or after its key in the parent"
        assert high is None or bounded[-1] < high, f"order: node {name} ends before its neighbour's key in the parent"
    if level > 0:
        _check_children(nodes, name, level, [low, *keys[1:], high])


def _check_children(nodes: _Nodes, name: int, level: int, bounds: list) -> None:
    spines = (nodes.header[layout.LEFT + level - 1], nodes.header[layout.RIGHT + level - 1])
    for slot, child in enumerate(nodes.children(name, level)):
        _check_node(nodes, child, level - 1, bounds[slot], bounds[slot + 1])
        if child not in spines:
            again = _folded(nodes.plan, nodes.states(child, level - 1))
            _check_equal(nodes.plan, nodes.states(name, level)[slot], again, f"node {child}'s aggregate in its parent")


def _check_arity(nodes: _Nodes, name: int, level: int) -> None:
    slots = nodes.slots(name, level)
    size = slots.stop - slots.start
    least = int(nodes.header[layout.MIN_ARITY if level else layout.LEAF_MIN])
    most = int(nodes.header[layout.MAX_ARITY if level else layout.LEAF_MAX])
    if name in (nodes.header[layout.LEFT + level], nodes.header[layout.RIGHT + level]):
        least = 2 if 0 < level == nodes.height else 1
    empty_tree = level == nodes.height == 0 and size == 0
    assert empty_tree or least <= size <= most, (
        f"arity: node {name} at level {level} has {size}, allowed {least} to {most}")


def _check_pending(nodes: _Nodes, right: list[int]) -> None:
    waiting = int(nodes.header[layout.PENDING])
    times = _words(int(nodes.header[layout.PENDING_TIMES]), waiting)
    if waiting:
        assert times.min() == nodes.header[layout.PENDING_OLDEST], "pending: the oldest time is noted"
        assert times.max() < nodes.keys(right[0], 0)[-1], "pending: only what is older than the youngest entry waits"


def _check_query(tree: int, plan: Plan) -> None:
    """Left leaf's suffixes and the young part together are all entries; a query settles what is pending, maybe."""
    answer = np.zeros(plan.state_words, np.int64)
    _query(door(), tree, lend(answer))
    nodes = _Nodes(tree, plan)
    states = nodes.entries(nodes.spine(layout.LEFT)[-1], nodes.height)
    waiting = int(nodes.header[layout.PENDING])
    if waiting:
        first = layout.SUFFIXES + int(nodes.header[layout.LEAF_MAX]) + layout.CHUNK
        address = int(nodes.header[layout.SCRATCH]) + 8 * first * plan.state_words
        states += list(_words(address, waiting * plan.state_words).reshape(-1, plan.state_words))
    again = _folded(plan, np.array(states, np.int64).reshape(-1, plan.state_words))
    _check_equal(plan, answer, again, "the query's answer")


def _folded(plan: Plan, states: np.ndarray) -> np.ndarray:
    states, again = np.ascontiguousarray(states), np.zeros(plan.state_words, np.int64)
    _fold_again(lend(plan.block), lend(again), lend(states), 8 * plan.state_words, len(states))
    return again


def _check_equal(plan: Plan, stored: np.ndarray, again: np.ndarray, what: str) -> None:
    """Equal words; floats up to rounding."""
    for word, (got, wanted) in enumerate(zip(stored, again, strict=True)):
        equal = got == wanted or (_may_be_float(plan, int(got)) and _close(got, wanted))
        assert equal, f"aggregate: word {word} of {what}"


def _may_be_float(plan: Plan, word: int) -> bool:
    """Small integers read as floats are all next to zero, so they never count as floats."""
    return abs(word) >= SMALLEST_NORMAL_FLOAT and any(spec.column_type == "float64" for spec in plan.specs)


def _close(first: np.int64, second: np.int64) -> bool:
    """Whether two words, read as floats, differ by rounding only."""
    pair = [as_float(int(word)) for word in (first, second)]
    return abs(pair[0] - pair[1]) <= 1e-9 * (1 + abs(pair[0]))
