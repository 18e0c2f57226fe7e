"""Names of the words of a forest's header, of a level, and of the scratch nodes (layout.py tells what they are for)."""

from kernels.aggregators._doors import FIRST_OWN
from kernels.memory import inner

PLAN, NODE_BYTES, SCRATCH, PAGE_NODES, RING_NODES = 0, 1, 2, 3, 4
FIRST, END, FIRST_TIME, HAS_OPEN, OPEN_TIME = 5, 6, 7, 8, 9
TOP, DEPTH, HAS_HEADS = 10, 11, 12
"""TOP: highest level; DEPTH: entries on the stack (amortised); HAS_HEADS: the tree keeps HEADS and TAILS."""
NEED_LEVEL, NEED_PAGE, NEED_SLOT = 13, 14, 15
POSITION, HEIGHT, IS_RISING = 16, 17, 18
"""Where the search of a slide policy is (search.py)."""
NEXT_ROW = 19
"""First row of the insertion at hand that isn't in yet."""
LEVELS = 24

RING, MASK, SPILLED, SLOTS, TAGS = 0, 1, 2, 3, 4
HEAD_SLOTS = 4
RISING_SLOT, FALLING_SLOT = 4, 5
TAG_SLOTS = 6
LEVEL_WORDS = TAGS + TAG_SLOTS
MAX_LEVELS = 62
HEADER_WORDS = LEVELS + MAX_LEVELS * LEVEL_WORDS
KEPT_WORDS = (FIRST, END, FIRST_TIME, HAS_OPEN, OPEN_TIME, TOP, DEPTH)
"""Words of the header that a store keeps, beside SPILLED of each level and the scratch nodes."""

# Scratch nodes. The amortised tree has its result pair and its stack where the other one has heads and tails.
OPEN, RESULT, PREFIX, TRIAL, NEW, LEFT, RIGHT, SPARE = 0, 1, 2, 3, 4, 5, 6, 7
HEADS = 8
STACK = HEADS
TAILS = HEADS + MAX_LEVELS
BATCH = TAILS + MAX_LEVELS
BATCH_NODES = 64
SCRATCH_NODES = BATCH + 1 + BATCH_NODES
"""A batch: the open entry, and up to BATCH_NODES new ones behind it."""

# Statuses of what may need the store; those of _doors.py come before.
MISSING, FULL = 10, 11
UNKNOWN_PLACE = -1
"""What a search answers in place of MISSING."""

# Operations beside those of _doors.py.
INSERT_ROWS, EVICT_SEARCHED = range(FIRST_OWN, FIRST_OWN + 2)
"""INSERT_ROWS(source, first, end) → status, and where it stopped at NEXT_ROW; EVICT_SEARCHED → status: what the search
of a slide policy found goes."""


@inner
def level_at(forest, level):
    """Address of the words of a level."""
    return forest + 8 * (LEVELS + level * LEVEL_WORDS)
