"""The nodes of a monoid tree: where each is, and how those of a level are made from those below."""

from kernels.aggregators._forest.layout import (
    KEPT_NODES,
    MAX_LEVELS,
    NO_PAGE,
    SLOTS,
    WORK_NODES,
    Forest,
    ForestNode,
)
from kernels.aggregators._forest.paging import paged_node
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from kernels.runtime.struct import allocate
from kernels.states import clear, merge

SMALLEST_RING = 8
TIME_BYTES = ForestNode.size_bytes


@inner
def create_forest(plan, page_nodes, has_heads):
    """An empty forest over the states of a plan, which must outlive it; page_nodes: 0 to stay in memory."""
    not_inlined()
    forest = allocate(Forest)
    forest.plan, forest.page_nodes, forest.has_heads = plan, page_nodes, has_heads
    forest.node_bytes = TIME_BYTES + WORD_BYTES * plan.state_words
    forest.ring_nodes = 4 * page_nodes if page_nodes > 0 else SMALLEST_RING
    for height in range(MAX_LEVELS):
        for slot in range(SLOTS):
            forest.levels[height].pages[slot] = NO_PAGE
    _make_nodes(forest, KEPT_NODES + WORK_NODES)
    return forest


@inner
def _make_nodes(forest, count):
    """The nodes that are in no ring; they never move."""
    first = resize(0, count * forest.node_bytes // WORD_BYTES)
    for number in range(count):
        made = nth(forest, first, number)
        made.time = 0
        clear(forest.plan, made.state)
    forest.open, forest.left, forest.right = nth(forest, first, 0), nth(forest, first, 1), nth(forest, first, 2)
    forest.heads = forest.stack = nth(forest, first, 3).address
    forest.tails = nth(forest, forest.heads, MAX_LEVELS).address
    work = nth(forest, first, KEPT_NODES).address
    forest.result, forest.prefix, forest.trial = nth(forest, work, 0), nth(forest, work, 1), nth(forest, work, 2)
    forest.batch = nth(forest, work, 3).address


@inner
def destroy(forest):
    """Give all memory back."""
    for height in range(MAX_LEVELS):
        release(forest.levels[height].ring)
        release(forest.levels[height].slots)
    release(forest.open.address)
    release(forest.address)


@inner
def nth(forest, first, number):
    """One of some nodes that stand together from the address `first` on."""
    return ForestNode(first + number * forest.node_bytes)


@inner
def cleared(forest, worked_with):
    """A node's state, made the identity."""
    clear(forest.plan, worked_with.state)
    return worked_with.state


@inner
def copy_state(forest, target, source):
    for word in range((forest.node_bytes - TIME_BYTES) // WORD_BYTES):
        target[word] = source[word]


@inner
def copy_node(forest, target, source):
    target.time = source.time
    copy_state(forest, target.state, source.state)


@inner
def end_after(updates, height):
    """Number of nodes that a level has had after so many updates: node i of level l + 1 comes when level l begins its
    pair i + 1.

    That is Invariant 3: the last pair of a level has no parent. From end(l + 1) = ⌊(end(l) − 1) / 2⌋ follows
    end(l) = ⌊(end(0) + 1) / 2^l⌋ − 1.
    """
    return ((updates + 1) >> height) - 1


@inner
def level_end(forest, height):
    """Number of nodes that a level has had by now."""
    return end_after(forest.end, height)


@inner
def node(forest, height, index, slot):
    """A node of a level; one at address 0 if a page must be brought first, which is then noted together with `slot`,
    its place."""
    level = forest.levels[height]
    if index >= level.spilled:
        return nth(forest, level.ring, index & level.mask)
    return paged_node(forest, height, index, slot)


@inner
def append_node(forest, height, index):
    """Room for the next node of a level; with a store there must be some (paging.is_full)."""
    level = forest.levels[height]
    if level.ring == 0:
        level.ring = resize(0, forest.ring_nodes * forest.node_bytes // WORD_BYTES)
        level.mask = forest.ring_nodes - 1
    elif forest.page_nodes == 0 and index - (forest.first >> height) > level.mask:
        _grow(forest, level, forest.first >> height, index)
    return nth(forest, level.ring, index & level.mask)


@inner
def _grow(forest, level, first, end):
    """Double a ring; its nodes [first, end) move to their new places."""
    not_inlined()
    mask = 2 * level.mask + 1
    ring = resize(0, (mask + 1) * forest.node_bytes // WORD_BYTES)
    for index in range(first, end):
        copy_node(forest, nth(forest, ring, index & mask), nth(forest, level.ring, index & level.mask))
    release(level.ring)
    level.ring, level.mask = ring, mask


@inner
def make_parent(forest, parent, older, newer):
    """Make a node the parent of two."""
    parent.time = newer.time
    merge(forest.plan, parent.state, older.state, newer.state)


@inner
def append_updates(forest, nodes, count):
    """`count` nodes from `nodes` on are the next updates."""
    first, update, node_bytes = forest.end, nodes.address, forest.node_bytes
    for index in range(first, first + count):
        copy_node(forest, append_node(forest, 0, index), ForestNode(update))
        update += node_bytes
    forest.end = first + count


@inner
def append_parents(forest, height, first, end):
    """Make the nodes [first, end) of a level; an evicted left child is left out, and so are nodes without children.
    O(end - first)."""
    not_inlined()
    oldest = forest.first >> (height - 1)
    for index in range(max(first, oldest >> 1), end):
        parent = append_node(forest, height, index)
        newer = node(forest, height - 1, 2 * index + 1, 0)
        if 2 * index >= oldest:
            make_parent(forest, parent, node(forest, height - 1, 2 * index, 0), newer)
        else:
            copy_node(forest, parent, newer)
