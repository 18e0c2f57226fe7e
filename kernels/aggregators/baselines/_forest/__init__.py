"""What both monoid trees (MTA §4) stand on: levels of nodes in order of arrival, named by their place in the stream.

Update number i of the stream is node i of level 0; node i of level l + 1 is the aggregate of the nodes 2i and 2i + 1
of level l, a pair ⟨e0, e1⟩ of the paper. The window is the updates [first, end). Sum over 1 2 1 2 1 2, the first
update already gone (∅), and the youngest one, 2, still open:

    level 2   [ ∅+·  …                first = 1, end = 5: node 0 of level 2 begins, but isn't complete
    level 1   [ ∅+2   1+2 ] [ 1+·     nodes 0 and 1 make a pair; node 2 isn't complete
    level 0   [ ∅  2 ] [ 1  2 ] [ 1   queues of pairs, one per level, each in a ring of its own
    open      2                       the youngest time: later events of that time still combine with it

A node is an Entry (_dispatch.py): its newest update's time, and its state. Nodes are written once and never again: what
evictions make stale is never read. So they may lie in memory (rings) or in pages of a store.

Naming nodes by absolute place makes Theorem 1 plain: the children of node i are 2i and 2i + 1. The paper counts places
from the queue's head, which is why it needs two cases.

With a store (MTA §4.1.5, fig. 3) each level has its last nodes in its ring, and page number p the nodes from
p · page_nodes on:

    level l:   page 7 | page 8 | page 9 | … in the store … | page 40 |  41   42 |
               ^ head, in slots 7 & 3, 8 & 3, …            spilled ^  ring ^    ^ end of the level

With the buffer of 512 nodes of the paper, a page has 128, the ring 512 (write buffer and tail) and the head cache four
pages. The other slots serve searches, in turn.

Compiled code never waits for a page. It answers MISSING, having changed nothing and noted what it needs; Python brings
it (stored.py) and calls again. That ends: an operation reads no more pages of a level than there are slots for
searches, and each page that is brought stays until as many others were.
"""

from windrow.kernels.aggregators._dispatch import TIME_BYTES, Entry, entry_bytes
from windrow.kernels.runtime.fields import (
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
)
from windrow.kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from windrow.kernels.runtime.struct import Struct, allocate
from windrow.kernels.states import clear
from windrow.kernels.states.layout import StatePlan

MAX_LEVELS = 62
HEAD_SLOTS = 4
SLOTS = HEAD_SLOTS + 6
"""Of a level, for pages: the first HEAD_SLOTS for those at its head, the others for searches. A search reads at most
two pages of a level, one on its way up and one down; a range query searches three times: for its ends, and between."""
HEADS = -1
"""As level that is needed: the pages at the heads of all levels."""
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
    needed_level, needed_page: the page that a MISSING asks for; HEADS: the pages at the heads of all levels, for a
        window that begins at update needed_page
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
    next_row: Place
    open: Ref(Entry)
    left: Ref(Entry)
    right: Ref(Entry)
    heads: Address
    stack: Address
    tails: Address
    result: Ref(Entry)
    prefix: Ref(Entry)
    trial: Ref(Entry)
    batch: Address
    levels: Array(Inline(Level), MAX_LEVELS)


LAST_KEPT = 4
"""So many nodes of a level never leave its ring: its last pair, and the pair before it."""


@inner
def _paged_node(forest, height, index):
    """A node that left the ring; one at address 0 and a note if its page isn't here."""
    not_inlined()
    level, page = forest.levels[height], index // forest.page_nodes
    slot = page & (HEAD_SLOTS - 1)
    if level.pages[slot] != page:
        slot = HEAD_SLOTS
        while slot < SLOTS and level.pages[slot] != page:
            slot += 1
    if slot == SLOTS:
        forest.needed_level, forest.needed_page = height, page
        return Entry(0)
    return Entry(level.slots + (slot * forest.page_nodes + index % forest.page_nodes) * forest.node_bytes)


@inner
def heads_here(forest, first):
    """Whether all head pages of a window that begins at `first` are here, and the pages behind them. Above level 0 the
    head itself is never asked for, only its right sibling; nor need it have been made, if the level began after it.

    Asking for the page behind keeps at least a quarter to a half of the head cache ahead of the head: the paper
    refills a cache of 512 below 256.
    """
    not_inlined()
    nodes = forest.page_nodes
    if nodes == 0:
        return True
    for height in range(forest.top + 1):
        level = forest.levels[height]
        page = ((first >> height) + (1 if height > 0 else 0)) // nodes
        for ahead in range(page, page + 2):
            if ahead * nodes < level.spilled and level.pages[ahead & (HEAD_SLOTS - 1)] != ahead:
                forest.needed_level, forest.needed_page = HEADS, first
                return False
    return True


@inner
def is_full(forest, count):
    """Whether level 0 has no room for `count` nodes in its ring. If it has, so have the levels above, as they grow
    half as fast."""
    return forest.page_nodes > 0 and forest.end + count - forest.levels[0].spilled > forest.ring_nodes


SMALLEST_RING = 8


@inner
def create_forest(plan, page_nodes, has_heads):
    """An empty forest over the states of a plan, which must outlive it; page_nodes: 0 to stay in memory."""
    not_inlined()
    forest = allocate(Forest)
    forest.plan, forest.page_nodes, forest.has_heads = plan, page_nodes, has_heads
    forest.node_bytes = entry_bytes(WORD_BYTES * plan.state_words)
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
def destroy(forest: Forest):
    for height in range(MAX_LEVELS):
        release(forest.levels[height].ring)
        release(forest.levels[height].slots)
    release(forest.open.address)
    release(forest.address)


@inner
def nth(forest, first, number):
    """One of some nodes that stand together from the address `first` on."""
    return Entry(first + number * forest.node_bytes)


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
def node(forest, height, index):
    """A node of a level; one at address 0 if a page must be brought first, which is then noted."""
    level = forest.levels[height]
    if index >= level.spilled:
        return nth(forest, level.ring, index & level.mask)
    return _paged_node(forest, height, index)


@inner
def append_node(forest, height, index):
    """Room for the next node of a level; with a store there must be some (is_full)."""
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
