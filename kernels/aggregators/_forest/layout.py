"""Where everything of a monoid tree stands in memory: a header, a ring of nodes per level, nodes to work with.

    forest:  header │ level 0 │ level 1 │ …
                        └ ring: node i at place i & mask, while it is in [spilled, end of the level)
             kept nodes: open, left, right │ heads or stack │ tails       work: result, prefix, trial │ batch

A ring grows by doubling, so the trees in memory have no largest size. With a store (page_nodes > 0) rings have a fixed
size instead, and nodes before `spilled` are in pages (paging.py).
"""

from kernels.runtime.fields import (
    Address,
    Array,
    Bytes,
    Count,
    Flag,
    Inline,
    Integer,
    Microseconds,
    Place,
    Ref,
    Tail,
    Word,
)
from kernels.runtime.struct import Struct
from kernels.states.layout import StatePlan

MAX_LEVELS = 62
HEAD_SLOTS = 4
RISING_SLOT, FALLING_SLOT = 4, 5
SLOTS = 6
"""Of a level, for pages: the first HEAD_SLOTS for those at its head, one for searches that rise, one that fall."""
HEADS = -1
"""As slot that is needed: the pages at the heads of all levels."""
NO_PAGE = -1
BATCH_NODES = 64
KEPT_NODES = 3 + 2 * MAX_LEVELS
WORK_NODES = 3 + 1 + BATCH_NODES
MISSING, FULL = 10, 11
"""Statuses of what may need the store; those of _dispatch.py come before."""
UNKNOWN_PLACE = -1
"""What a search answers in place of MISSING."""
Height = Integer("number of a level, 0 being that of the updates")
Update = Integer("number of an update, from the first that ever was")


class ForestNode(Struct):
    """An update, or the aggregate of some that follow one another. time: of the newest."""

    time: Microseconds
    state: Tail(Word)


class Level(Struct):
    """The nodes of a level. slots: room for pages of the store; pages: which of them stand there."""

    ring: Address
    mask: Place
    spilled: Place
    slots: Address
    pages: Array(Place, SLOTS)


class Forest(Struct):
    """first, end: the window; first_time: of its oldest update; top: the highest level

    has_open: whether there is an entry behind the last update, in `open`
    has_heads, heads, tails: of the tree that keeps the aggregate of all (log MTA)
    left, right, stack, depth: the result pair R and the stack of the other one (amortised MTA)
    needed_level, needed_page, needed_slot: the page that a MISSING asks for, and where it goes; HEADS: the pages at the
        heads of all levels, for a window that begins at update needed_page
    batch: the open entry, and up to BATCH_NODES new ones behind it; next_row: the first that isn't in the tree yet
    """

    plan: Ref(StatePlan)
    node_bytes: Bytes
    page_nodes: Count
    ring_nodes: Count
    first: Update
    end: Update
    first_time: Microseconds
    has_open: Flag()
    top: Height
    depth: Count
    has_heads: Flag()
    needed_level: Height
    needed_page: Place
    needed_slot: Place
    next_row: Place
    open: Ref(ForestNode)
    left: Ref(ForestNode)
    right: Ref(ForestNode)
    heads: Address
    stack: Address
    tails: Address
    result: Ref(ForestNode)
    prefix: Ref(ForestNode)
    trial: Ref(ForestNode)
    batch: Address
    levels: Array(Inline(Level), MAX_LEVELS)
