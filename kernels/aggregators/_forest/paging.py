"""Nodes that stand in pages of a store: the compiled side (MTA §4.1.5, fig. 3).

Each level has the last nodes in its ring, and page number p the nodes [p · page_nodes, (p + 1) · page_nodes):

    level l:   page 7 | page 8 | page 9 | … in the store … | page 40 |  41   42 |
               ^ head, in slots 7 & 3, 8 & 3, …            spilled ^  ring ^    ^ end of the level

With the buffer of 512 nodes of the paper, a page has 128, the ring 512 (write buffer and tail) and the head cache four
pages. Two slots more serve searches: one for the way up, one for the way down; a search needs one page per level for
each, so that it can begin again after each page that was brought, and ends.

Compiled code never waits for a page. It answers MISSING, having changed nothing and noted what it needs; Python brings
it (stored.py) and calls again.
"""

from kernels.aggregators._forest.words import (
    END,
    FALLING_SLOT,
    HEAD_SLOTS,
    NEED_LEVEL,
    NEED_PAGE,
    NEED_SLOT,
    NODE_BYTES,
    PAGE_NODES,
    RING_NODES,
    RISING_SLOT,
    SLOTS,
    SPILLED,
    TAGS,
    TOP,
    level_at,
)
from kernels.memory import inner, load, not_inlined, store

HEADS_NEEDED = -1
"""As NEED_SLOT: the head pages of all levels, for the window that begins at NEED_PAGE."""
LAST_KEPT = 4
"""So many nodes of a level never leave its ring: its last pair, and the pair before it."""


@inner
def _note(forest, level, page, slot):
    store(forest, NEED_LEVEL, level)
    store(forest, NEED_PAGE, page)
    store(forest, NEED_SLOT, slot)


@inner
def paged_node(forest, level, index, slot):
    """Address of a node that left the ring; 0 and a note if its page isn't here."""
    not_inlined()
    at, nodes = level_at(forest, level), load(forest, PAGE_NODES)
    page = index // nodes
    found = page & (HEAD_SLOTS - 1)
    if load(at, TAGS + found) != page:
        found = RISING_SLOT
    if load(at, TAGS + found) != page:
        found = FALLING_SLOT
    if load(at, TAGS + found) != page:
        _note(forest, level, page, slot)
        return 0
    return load(at, SLOTS) + (found * nodes + index % nodes) * load(forest, NODE_BYTES)


@inner
def head_index(first, level):
    """The first node of a level that is asked for when the window begins at update `first`: above level 0 the head
    itself never is, only its right sibling; nor need it have been made, if the level began after it."""
    return first if level == 0 else (first >> level) + 1


@inner
def heads_here(forest, first):
    """Whether all head pages of a window that begins at `first` are here, and the pages behind them.

    Asking for the page behind keeps at least a quarter to a half of the head cache ahead of the head: the paper
    refills a cache of 512 below 256.
    """
    not_inlined()
    nodes = load(forest, PAGE_NODES)
    if nodes == 0:
        return True
    for level in range(load(forest, TOP) + 1):
        at = level_at(forest, level)
        page = head_index(first, level) // nodes
        for ahead in range(page, page + 2):
            if ahead * nodes < load(at, SPILLED) and load(at, TAGS + (ahead & (HEAD_SLOTS - 1))) != ahead:
                _note(forest, level, first, HEADS_NEEDED)
                return False
    return True


@inner
def is_full(forest, count):
    """Whether level 0 has no room for `count` nodes in its ring. If it has, so have the levels above, as they grow
    half as fast."""
    spilled = load(level_at(forest, 0), SPILLED)
    return load(forest, PAGE_NODES) > 0 and load(forest, END) + count - spilled > load(forest, RING_NODES)
