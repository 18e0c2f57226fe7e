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

from kernels.aggregators._forest.layout import FALLING_SLOT, HEAD_SLOTS, HEADS, RISING_SLOT, ForestNode
from kernels.runtime.memory import inner, not_inlined

LAST_KEPT = 4
"""So many nodes of a level never leave its ring: its last pair, and the pair before it."""


@inner
def _note(forest, height, page, slot):
    forest.needed_level, forest.needed_page, forest.needed_slot = height, page, slot


@inner
def paged_node(forest, height, index, slot):
    """A node that left the ring; one at address 0 and a note if its page isn't here."""
    not_inlined()
    level, page = forest.levels[height], index // forest.page_nodes
    found = page & (HEAD_SLOTS - 1)
    if level.pages[found] != page:
        found = RISING_SLOT
    if level.pages[found] != page:
        found = FALLING_SLOT
    if level.pages[found] != page:
        _note(forest, height, page, slot)
        return ForestNode(0)
    return ForestNode(level.slots + (found * forest.page_nodes + index % forest.page_nodes) * forest.node_bytes)


@inner
def head_index(first, height):
    """The first node of a level that is asked for when the window begins at update `first`: above level 0 the head
    itself never is, only its right sibling; nor need it have been made, if the level began after it."""
    return first if height == 0 else (first >> height) + 1


@inner
def heads_here(forest, first):
    """Whether all head pages of a window that begins at `first` are here, and the pages behind them.

    Asking for the page behind keeps at least a quarter to a half of the head cache ahead of the head: the paper
    refills a cache of 512 below 256.
    """
    not_inlined()
    nodes = forest.page_nodes
    if nodes == 0:
        return True
    for height in range(forest.top + 1):
        level = forest.levels[height]
        page = head_index(first, height) // nodes
        for ahead in range(page, page + 2):
            if ahead * nodes < level.spilled and level.pages[ahead & (HEAD_SLOTS - 1)] != ahead:
                _note(forest, height, first, HEADS)
                return False
    return True


@inner
def is_full(forest, count):
    """Whether level 0 has no room for `count` nodes in its ring. If it has, so have the levels above, as they grow
    half as fast."""
    return forest.page_nodes > 0 and forest.end + count - forest.levels[0].spilled > forest.ring_nodes
