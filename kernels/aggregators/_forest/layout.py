"""Where everything of a monoid tree stands in memory: a header, a ring of nodes per level, scratch nodes.

    header: fixed words | per level: ring, mask, spilled, slots, tags of the slots
    node:   time of its newest update | state
    ring:   node i of a level stands at place i & mask, while it is in [spilled, end of the level)

A ring grows by doubling, so the trees in memory have no largest size. With a store (page_nodes > 0) rings have a fixed
size instead, and nodes before `spilled` are in pages (paging.py).
"""

from kernels.aggregators._forest.paging import paged_node
from kernels.aggregators._forest.words import (
    END,
    FIRST,
    HEADER_WORDS,
    LEVEL_WORDS,
    LEVELS,
    MASK,
    MAX_LEVELS,
    NODE_BYTES,
    PAGE_NODES,
    PLAN,
    RING,
    RING_NODES,
    SCRATCH,
    SCRATCH_NODES,
    SLOTS,
    SPILLED,
    TAG_SLOTS,
    TAGS,
    level_at,
)
from kernels.memory import inner, load, not_inlined, release, resize, store
from kernels.plan import STATE_WORDS
from kernels.states import clear, copy_words, merge

SMALLEST_RING = 8


@inner
def create_forest(plan, page_nodes):
    """Address of an empty forest over the states of `plan`, which must outlive it; page_nodes: 0 to stay in memory."""
    not_inlined()
    forest = resize(0, HEADER_WORDS)
    for word in range(HEADER_WORDS):
        store(forest, word, 0)
    node_words = 1 + load(plan, STATE_WORDS)
    store(forest, PLAN, plan)
    store(forest, NODE_BYTES, 8 * node_words)
    store(forest, PAGE_NODES, page_nodes)
    store(forest, RING_NODES, 4 * page_nodes if page_nodes > 0 else SMALLEST_RING)
    store(forest, SCRATCH, resize(0, SCRATCH_NODES * node_words))
    for word in range(SCRATCH_NODES * node_words):
        store(load(forest, SCRATCH), word, 0)
    for level in range(MAX_LEVELS):
        for slot in range(TAG_SLOTS):
            store(forest, LEVELS + LEVEL_WORDS * level + TAGS + slot, -1)
    for number in range(SCRATCH_NODES):
        clear_scratch(forest, number)
    return forest


@inner
def destroy(forest):
    """Give all memory back."""
    for level in range(MAX_LEVELS):
        release(load(level_at(forest, level), RING))
        release(load(level_at(forest, level), SLOTS))
    release(load(forest, SCRATCH))
    release(forest)


@inner
def scratch_node(forest, number):
    """Address of a scratch node; they never move."""
    return load(forest, SCRATCH) + number * load(forest, NODE_BYTES)


@inner
def scratch(forest, number):
    """Address of a scratch node's state."""
    return scratch_node(forest, number) + 8


@inner
def clear_scratch(forest, number):
    """Address of a scratch state, made the identity."""
    state = scratch(forest, number)
    clear(load(forest, PLAN), state)
    return state


@inner
def copy_state(forest, target, source):
    copy_words(target, source, load(forest, NODE_BYTES) // 8 - 1)


@inner
def copy_node(forest, target, source):
    copy_words(target, source, load(forest, NODE_BYTES) // 8)


@inner
def end_after(updates, level):
    """Number of nodes that a level has had after so many updates: node i of level l + 1 comes when level l begins its
    pair i + 1.

    That is Invariant 3: the last pair of a level has no parent. From end(l + 1) = ⌊(end(l) − 1) / 2⌋ follows
    end(l) = ⌊(end(0) + 1) / 2^l⌋ − 1.
    """
    return ((updates + 1) >> level) - 1


@inner
def level_end(forest, level):
    """Number of nodes that a level has had by now."""
    return end_after(load(forest, END), level)


@inner
def node(forest, level, index, slot):
    """Address of a node; 0 if a page must be brought first, which is then noted together with `slot`, its place."""
    at = level_at(forest, level)
    if index >= load(at, SPILLED):
        return load(at, RING) + (index & load(at, MASK)) * load(forest, NODE_BYTES)
    return paged_node(forest, level, index, slot)


@inner
def append_node(forest, level, index):
    """Address for the next node of a level; with a store there must be room (paging.is_full)."""
    at = level_at(forest, level)
    if load(at, RING) == 0:
        store(at, RING, resize(0, load(forest, RING_NODES) * (load(forest, NODE_BYTES) // 8)))
        store(at, MASK, load(forest, RING_NODES) - 1)
    elif load(forest, PAGE_NODES) == 0 and index - (load(forest, FIRST) >> level) > load(at, MASK):
        _grow(forest, at, load(forest, FIRST) >> level, index)
    return load(at, RING) + (index & load(at, MASK)) * load(forest, NODE_BYTES)


@inner
def _grow(forest, at, first, end):
    """Double a ring; its nodes [first, end) move to their new places."""
    not_inlined()
    words, mask = load(forest, NODE_BYTES) // 8, load(at, MASK)
    ring = resize(0, 2 * (mask + 1) * words)
    for index in range(first, end):
        source = load(at, RING) + (index & mask) * 8 * words
        copy_words(ring + (index & (2 * mask + 1)) * 8 * words, source, words)
    release(load(at, RING))
    store(at, RING, ring)
    store(at, MASK, 2 * mask + 1)


@inner
def join(forest, target, older, newer):
    """target = the parent of two nodes."""
    store(target, 0, load(newer, 0))
    merge(load(forest, PLAN), target + 8, older + 8, newer + 8)


@inner
def append_updates(forest, nodes, count):
    """The nodes from the address `nodes` on are the next updates."""
    place = load(forest, END)
    for index in range(place, place + count):
        copy_node(forest, append_node(forest, 0, index), nodes)
        nodes += load(forest, NODE_BYTES)
    store(forest, END, place + count)


@inner
def append_parents(forest, level, first, end):
    """Make the nodes [first, end) of a level; an evicted left child is left out, and so are nodes without children.
    O(end - first)."""
    not_inlined()
    oldest = load(forest, FIRST) >> (level - 1)
    for index in range(max(first, oldest >> 1), end):
        parent = append_node(forest, level, index)
        newer = node(forest, level - 1, 2 * index + 1, 0)
        if 2 * index >= oldest:
            join(forest, parent, node(forest, level - 1, 2 * index, 0), newer)
        else:
            copy_node(forest, parent, newer)
