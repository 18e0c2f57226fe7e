"""Where everything of a finger tree stands in memory.

A tree is a header block (address `tree`) that points to one block of nodes and one of scratch states. A node is named
by its offset in the block of nodes, 0 meaning none; its address holds only until the next new node, which may move the
block. Leaves hold the entries (time, state), inner nodes the aggregates of their children:

    leaf:  end | first | times[leaf most] | states[leaf most]         entries in slots [first, end)
    inner: size | level | keys[max arity] | children[max arity] | states[max arity]

With one word a state and a minimum arity of 8 a full leaf takes 16.25 bytes an entry, and what is above it 0.4.
Key i of an inner node is a lower bound of child i, tight only in that times of child i − 1 are below it; key 0 of a
node on the left spine means nothing. State i is the aggregate of child i, except where that lies on a spine.
"""

from kernels.memory import inner, load, move, not_inlined, release, resize, store
from kernels.plan import COMMUTATIVE, STATE_WORDS
from kernels.states import clear, copy_words

MAX_LEVELS = 40
LEAF_FACTOR = 4  # a leaf holds four times what an inner node does: 64 entries are one short scan, 16 keys another
CHUNK = 512  # events of a burst that are lifted at once
PENDING_MOST = 512

NODES, USED, CAPACITY = 0, 1, 2
FREE_LEAF, FREE_INNER, OPEN_INNER, FREES_AT_ONCE = 3, 4, 5, 6
MIN_ARITY, MAX_ARITY, LEAF_MIN, LEAF_MAX = 7, 8, 9, 10
LEAF_BYTES, LEAF_STATES, INNER_BYTES, INNER_STATES = 11, 12, 13, 14
STATE_BYTES, PLAN, IS_COMMUTATIVE, SCRATCH, HEIGHT = 15, 16, 17, 18, 19
# Highest level of each spine whose cached side is to be made again, and whether the root's inner part is.
LEFT_DIRTY, RIGHT_DIRTY, MIDDLE_DIRTY = 20, 21, 22
# Whether the two parts of a query are to be made again; the slots of the left leaf up to which suffixes are kept.
YOUNG_DIRTY, SUFFIX_END = 23, 24
# Late entries that wait to be inserted together: how many, the oldest of their times.
PENDING, PENDING_OLDEST = 25, 26
# Blocks of times: of what is pending, of the same in order, of a leaf that is made again; and the time of one entry.
PENDING_TIMES, SORTED_TIMES, MERGED_TIMES, ONE_TIME = 27, 28, 29, 30
LEFT = 31
RIGHT = LEFT + MAX_LEVELS
PATH = RIGHT + MAX_LEVELS
SLOT = PATH + MAX_LEVELS
HEADER_WORDS = SLOT + MAX_LEVELS

END = SIZE = 0
FIRST = LEVEL = 1
KEYS = 2
CLEAN = -1

# Numbers of scratch states: the caches of the spines by level, that of the root's inner part, all that is younger
# than the left leaf's suffixes, working space, all that is pending; then the suffixes, a lifted chunk, what is
# pending, the same sorted, and a leaf with what goes into it.
LEFT_SIDE, RIGHT_SIDE, MIDDLE = 0, MAX_LEVELS, 2 * MAX_LEVELS
YOUNG, NEW, CHANGE, RESULT, SPARE, WAITING, SUFFIXES = (MIDDLE + place for place in range(1, 8))


@inner
def lay_out(plan, min_arity, frees_at_once):
    """Address of a tree without a node; see nodes.create."""
    not_inlined()
    tree = resize(0, HEADER_WORDS)
    for word in range(HEADER_WORDS):
        store(tree, word, 0)
    state_bytes = 8 * load(plan, STATE_WORDS)
    leaf_most = 2 * LEAF_FACTOR * min_arity
    store(tree, MIN_ARITY, min_arity)
    store(tree, MAX_ARITY, 2 * min_arity)
    store(tree, LEAF_MIN, LEAF_FACTOR * min_arity)
    store(tree, LEAF_MAX, leaf_most)
    store(tree, LEAF_STATES, 8 * (KEYS + leaf_most))
    store(tree, LEAF_BYTES, 8 * (KEYS + leaf_most) + leaf_most * state_bytes)
    store(tree, INNER_STATES, 8 * (KEYS + 4 * min_arity))
    store(tree, INNER_BYTES, 8 * (KEYS + 4 * min_arity) + 2 * min_arity * state_bytes)
    store(tree, STATE_BYTES, state_bytes)
    store(tree, PLAN, plan)
    store(tree, IS_COMMUTATIVE, load(plan, COMMUTATIVE))
    store(tree, FREES_AT_ONCE, frees_at_once)
    store(tree, SCRATCH, resize(0, (_merged_number(tree) + leaf_most + CHUNK) * state_bytes // 8))
    store(tree, PENDING_TIMES, resize(0, PENDING_MOST))
    store(tree, SORTED_TIMES, resize(0, 4 * PENDING_MOST))  # pairs, twice, while they are sorted
    store(tree, MERGED_TIMES, resize(0, leaf_most + CHUNK))
    store(tree, USED, 8 * KEYS)  # no node has the name 0
    return tree


@inner
def destroy(tree):
    """Give all memory of a tree back."""
    for block in (NODES, SCRATCH, PENDING_TIMES, SORTED_TIMES, MERGED_TIMES):
        release(load(tree, block))
    release(tree)


@inner
def _merged_number(tree):
    return SUFFIXES + load(tree, LEAF_MAX) + CHUNK + 2 * PENDING_MOST


@inner
def scratch(tree, number):
    """Address of a scratch state."""
    return load(tree, SCRATCH) + number * load(tree, STATE_BYTES)


@inner
def clear_scratch(tree, number):
    """The scratch state of that number, made the identity."""
    state = scratch(tree, number)
    clear(load(tree, PLAN), state)
    return state


@inner
def lifted_states(tree):
    return scratch(tree, SUFFIXES + load(tree, LEAF_MAX))


@inner
def pending_states(tree):
    return scratch(tree, SUFFIXES + load(tree, LEAF_MAX) + CHUNK)


@inner
def sorted_states(tree):
    return scratch(tree, SUFFIXES + load(tree, LEAF_MAX) + CHUNK + PENDING_MOST)


@inner
def merged_states(tree):
    return scratch(tree, _merged_number(tree))


@inner
def node_address(tree, name):
    return load(tree, NODES) + name


@inner
def child_at(tree, node, slot):
    return load(node, KEYS + load(tree, MAX_ARITY) + slot)


@inner
def set_child(tree, node, slot, key, child):
    store(node, KEYS + slot, key)
    store(node, KEYS + load(tree, MAX_ARITY) + slot, child)


@inner
def entry_state(tree, leaf, slot):
    """Address of the state of an entry."""
    return leaf + load(tree, LEAF_STATES) + slot * load(tree, STATE_BYTES)


@inner
def child_state(tree, node, slot):
    """Address of the aggregate of a child."""
    return node + load(tree, INNER_STATES) + slot * load(tree, STATE_BYTES)


@inner
def copy_state(tree, target, source):
    copy_words(target, source, load(tree, STATE_BYTES) // 8)


@inner
def soil_sides(tree, level):
    """Note that both spines changed at `level`: cached sides at and below it are to be made again."""
    store(tree, LEFT_DIRTY, max(level, load(tree, LEFT_DIRTY)))
    store(tree, RIGHT_DIRTY, max(level, load(tree, RIGHT_DIRTY)))
    store(tree, MIDDLE_DIRTY, 1)


@inner
def soil_query(tree):
    """Note that the two parts of a query are to be made again: a slot of the left leaf changed, say."""
    if load(tree, YOUNG_DIRTY) == 0:
        clear_scratch(tree, YOUNG)  # states go on being combined into it, and a sketch must not meet stray words
    store(tree, YOUNG_DIRTY, 1)
    store(tree, SUFFIX_END, 0)


@inner
def compact(tree, leaf):
    """Move a leaf's entries to its front."""
    not_inlined()
    first, end = load(leaf, FIRST), load(leaf, END)
    if first > 0:
        move_entries(tree, leaf, first, leaf, 0, end - first)
        store(leaf, FIRST, 0)
        store(leaf, END, end - first)
        soil_query(tree)


@inner
def move_entries(tree, source, from_slot, target, to_slot, entries):
    """Copy entries between leaves, or within one, where the ranges may overlap."""
    states = entries * (load(tree, STATE_BYTES) // 8)
    move(target + 8 * (KEYS + to_slot), source + 8 * (KEYS + from_slot), entries)
    move(entry_state(tree, target, to_slot), entry_state(tree, source, from_slot), states)


@inner
def move_children(tree, source, from_slot, target, to_slot, children):
    """Copy children with keys and aggregates between inner nodes, or within one, where the ranges may overlap."""
    not_inlined()
    numbers = KEYS + load(tree, MAX_ARITY)
    states = children * (load(tree, STATE_BYTES) // 8)
    move(target + 8 * (KEYS + to_slot), source + 8 * (KEYS + from_slot), children)
    move(target + 8 * (numbers + to_slot), source + 8 * (numbers + from_slot), children)
    move(child_state(tree, target, to_slot), child_state(tree, source, from_slot), states)
