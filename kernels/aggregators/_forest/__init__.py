"""What both monoid trees (MTA §4) stand on: levels of nodes in order of arrival, named by their place in the stream.

Update number i of the stream is node i of level 0; node i of level l + 1 is the aggregate of the nodes 2i and 2i + 1
of level l, a pair ⟨e0, e1⟩ of the paper. The window is the updates [first, end). Sum over 1 2 1 2 1 2, the first
update already gone (∅), and the youngest one, 2, still open:

    level 2   [ ∅+·  …                first = 1, end = 5: node 0 of level 2 begins, but isn't complete
    level 1   [ ∅+2   1+2 ] [ 1+·     nodes 0 and 1 make a pair; node 2 isn't complete
    level 0   [ ∅  2 ] [ 1  2 ] [ 1   queues of pairs, one per level, each in a ring of its own
    open      2                       the youngest time: later events of that time still combine with it

A node is its newest update's time and its state. Nodes are written once and never again: what evictions make stale is
never read. So they may lie in memory (rings) or in a store (pages), see nodes.py.

Naming nodes by absolute place makes Theorem 1 plain: the children of node i are 2i and 2i + 1. The paper counts places
from the queue's head, which is why it needs two cases.
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
