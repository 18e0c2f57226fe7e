"""The invariants of the finger tree (FIBA §3.2), each with its name, by plain Python over the tree's own memory."""

import numpy as np

from windrow.kernels.aggregators.finger_tree import layout
from windrow.kernels.aggregators.finger_tree.layout import InnerNode, Node, Tree
from windrow.kernels.objects.checking import differing_word, folded
from windrow.kernels.runtime.addresses import plain
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.runtime.fields import WORD_BYTES
from windrow.kernels.states.state_plan import Plan


class Nodes:
    """A tree's nodes as Python lists."""

    def __init__(self, tree: Tree, plan: Plan):
        self.tree, self.plan, self.height = tree, plan, tree.height

    def node(self, name: int) -> Node:
        return Node(self.tree.nodes + name)

    def slots(self, name: int, level: int) -> range:
        node = self.node(name)
        return range(0 if level else node.first, node.end)

    def keys(self, name: int, level: int) -> list[int]:
        return [self.node(name).times[slot] for slot in self.slots(name, level)]

    def children(self, name: int, level: int) -> list[int]:
        return [plain(layout.child_at)(self.tree, self.node(name), slot) for slot in self.slots(name, level)]

    def states(self, name: int, level: int) -> np.ndarray:
        slots = self.slots(name, level)
        return self.states_at(self.state_at(name, level, slots.start), len(slots))

    def state_at(self, name: int, level: int, slot: int) -> int:
        """Address of an entry's state, or of a child's aggregate."""
        return plain(layout.state_at)(self.tree, level, self.node(name), slot)

    def states_at(self, address: int, count: int) -> np.ndarray:
        return words_of(address, count, self.tree.state_bytes // WORD_BYTES)

    def spine(self, names) -> list[int]:
        return [names[level] for level in range(self.height + 1)]

    def entries(self, name: int, level: int) -> list[np.ndarray]:
        """States of all entries below a node, in order."""
        if level == 0:
            return list(self.states(name, 0))
        return [state for child in self.children(name, level) for state in self.entries(child, level - 1)]


def check_tree(tree: int, plan: Plan, answer: int) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold. answer: what the tree's query gave, which may
    have settled what was pending."""
    nodes = Nodes(Tree(tree), plan)
    left, right = nodes.spine(nodes.tree.left), nodes.spine(nodes.tree.right)
    assert left[-1] == right[-1], "root: both spines end in the root"
    _check_spines(nodes, left, right)
    _check_node(nodes, left[-1], nodes.height, None, None)
    _check_pending(nodes, right)
    _check_query(nodes, plan, answer)


def _check_spines(nodes: Nodes, left: list[int], right: list[int]) -> None:
    for level in range(nodes.height):
        assert nodes.children(left[level + 1], level + 1)[0] == left[level], (
            f"left finger: level {level} is the first child above it"
        )
        assert nodes.children(right[level + 1], level + 1)[-1] == right[level], (
            f"right finger: level {level} is the last child above it"
        )


def _check_node(nodes: Nodes, name: int, level: int, low: int | None, high: int | None) -> None:
    """Height, order, arity and aggregates of the subtree whose times lie in [low, high)."""
    assert level == 0 or InnerNode(nodes.node(name)).level == level, f"height: node {name} stands at level {level}"
    assert level > 0 or nodes.node(name).first == 0 or name == nodes.tree.left[0], (
        f"left finger: only the left leaf has evicted entries, not leaf {name}"
    )
    _check_arity(nodes, name, level)
    keys = nodes.keys(name, level)
    bounded = keys if level == 0 else keys[1:]
    assert bounded == sorted(set(bounded)), f"order: keys of node {name} ascend"
    if bounded:
        assert low is None or bounded[0] >= low, f"order: node {name} starts at or after its key in the parent"
        assert high is None or bounded[-1] < high, f"order: node {name} ends before its neighbour's key in the parent"
    if level > 0:
        _check_children(nodes, name, level, [low, *keys[1:], high])


def _check_children(nodes: Nodes, name: int, level: int, bounds: list) -> None:
    spines = (nodes.tree.left[level - 1], nodes.tree.right[level - 1])
    stored = nodes.states(name, level)
    for slot, child in enumerate(nodes.children(name, level)):
        _check_node(nodes, child, level - 1, bounds[slot], bounds[slot + 1])
        if child not in spines:
            again = folded(nodes.plan, nodes.states(child, level - 1))
            _check_equal(nodes.plan, stored[slot], again, f"node {child}'s aggregate in its parent")


def _check_arity(nodes: Nodes, name: int, level: int) -> None:
    tree, size = nodes.tree, len(nodes.slots(name, level))
    least = tree.min_arity if level else tree.leaf_min
    most = tree.max_arity if level else tree.leaf_max
    if name in (tree.left[level], tree.right[level]):
        least = 2 if 0 < level == nodes.height else 1
    empty_tree = level == nodes.height == 0 and size == 0
    assert empty_tree or least <= size <= most, (
        f"arity: node {name} at level {level} has {size}, allowed {least} to {most}"
    )


def _check_pending(nodes: Nodes, right: list[int]) -> None:
    times = [nodes.tree.pending_times[place] for place in range(nodes.tree.pending)]
    if times:
        assert min(times) == nodes.tree.pending_oldest, "pending: the oldest time is noted"
        assert max(times) < nodes.keys(right[0], 0)[-1], "pending: only what is older than the youngest entry waits"


def _check_query(nodes: Nodes, plan: Plan, answer: int) -> None:
    """Left leaf's suffixes and the young part together are all entries."""
    states = nodes.entries(nodes.tree.left[nodes.height], nodes.height)
    states += list(nodes.states_at(nodes.tree.pending_states, nodes.tree.pending))
    again = folded(plan, np.array(states, np.int64).reshape(-1, plan.state_words))
    _check_equal(plan, nodes.states_at(answer, 1)[0], again, "the query's answer")


def _check_equal(plan: Plan, stored: np.ndarray, again: np.ndarray, what: str) -> None:
    differs = differing_word(plan, stored, again)
    assert differs is None, f"aggregate: word {differs[0]} of {what}"
