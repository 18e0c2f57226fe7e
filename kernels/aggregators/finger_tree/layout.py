"""Where everything of a finger tree stands in memory.

A tree is a header block (address `tree`) that points to one block of nodes and one of scratch states. Nodes are named
by their number, 0 meaning none; addresses of nodes hold only until the next `new_node`, which may move the block.

    node: number of entries or children | level (leaf: 0) | keys[max arity] | children[max arity] | states[max
        arity]

Leaves hold the entries (time, state). Key i of an inner node is a lower bound of child i, tight only in that times of
child i − 1 are below it; key 0 of a node on the left spine means nothing. State i is the aggregate of child i.
"""

from kernels.memory import inner, load, not_inlined, release, resize, store
from kernels.states import COMMUTATIVE, STATE_WORDS, clear

MAX_LEVELS = 40
NODES, NODE_BYTES, CAPACITY, USED, FREE = 0, 1, 2, 3, 4
MIN_ARITY, MAX_ARITY, STATE_BYTES, STATES_AT = 5, 6, 7, 8
PLAN, IS_COMMUTATIVE, SCRATCH, HEIGHT = 9, 10, 11, 12
LEFT_DIRTY, RIGHT_DIRTY, MIDDLE_DIRTY = 13, 14, 15
LEFT = 16
RIGHT = LEFT + MAX_LEVELS
PATH = RIGHT + MAX_LEVELS
SLOT = PATH + MAX_LEVELS
HEADER_WORDS = SLOT + MAX_LEVELS

SIZE, LEVEL, KEYS = 0, 1, 2
CLEAN = -1

# Numbers of scratch states: the caches of the spines by level, that of the root's inner part, and working
# space.
LEFT_SIDE, RIGHT_SIDE, MIDDLE = 0, MAX_LEVELS, 2 * MAX_LEVELS
NEW, CHANGE, RESULT, SPARE = MIDDLE + 1, MIDDLE + 2, MIDDLE + 3, MIDDLE + 4
SCRATCH_STATES = MIDDLE + 5


@inner
def create(plan, min_arity):
    """Address of an empty tree over the states of `plan`, which must outlive it; min_arity ≥ 2."""
    not_inlined()
    tree = resize(0, HEADER_WORDS)
    for word in range(HEADER_WORDS):
        store(tree, word, 0)
    state_words = load(plan, STATE_WORDS)
    store(tree, MIN_ARITY, min_arity)
    store(tree, MAX_ARITY, 2 * min_arity)
    store(tree, STATES_AT, 8 * (KEYS + 4 * min_arity))
    store(tree, STATE_BYTES, 8 * state_words)
    store(tree, NODE_BYTES, 8 * (KEYS + 4 * min_arity + 2 * min_arity * state_words))
    store(tree, PLAN, plan)
    store(tree, IS_COMMUTATIVE, load(plan, COMMUTATIVE))
    store(tree, SCRATCH, resize(0, SCRATCH_STATES * state_words))
    store(tree, USED, 1)
    plant(tree)
    return tree


@inner
def destroy(tree):
    """Give all memory of a tree back."""
    release(load(tree, NODES))
    release(load(tree, SCRATCH))
    release(tree)


@inner
def plant(tree):
    """Make the tree a single empty leaf."""
    not_inlined()
    root = new_node(tree, 0)
    store(tree, HEIGHT, 0)
    store(tree, LEFT, root)
    store(tree, RIGHT, root)
    soil(tree, MAX_LEVELS)


@inner
def new_node(tree, level):
    """An empty node; O(1): a node taken from the free list hands its own children over to the list first
    (FIBA §6)."""
    not_inlined()
    taken = load(tree, FREE)
    if taken == 0:
        taken = load(tree, USED)
        store(tree, USED, taken + 1)
        if taken >= load(tree, CAPACITY):
            capacity = 2 * taken + 6
            store(tree, NODES, resize(load(tree, NODES), capacity * (load(tree, NODE_BYTES) // 8)))
            store(tree, CAPACITY, capacity)
    else:
        address = node_address(tree, taken)
        store(tree, FREE, load(address, KEYS))
        if load(address, LEVEL) > 0:
            for slot in range(load(address, SIZE)):
                free_node(tree, child_at(tree, address, slot))
    address = node_address(tree, taken)
    store(address, SIZE, 0)
    store(address, LEVEL, level)
    return taken


@inner
def free_node(tree, number):
    """Put a node on the free list; its children stay below it until it is used again. A list link lies in key
    0."""
    store(node_address(tree, number), KEYS, load(tree, FREE))
    store(tree, FREE, number)


@inner
def node_address(tree, number):
    return load(tree, NODES) + number * load(tree, NODE_BYTES)


@inner
def child_at(tree, node, slot):
    return load(node, KEYS + load(tree, MAX_ARITY) + slot)


@inner
def set_child(tree, node, slot, key, child):
    store(node, KEYS + slot, key)
    store(node, KEYS + load(tree, MAX_ARITY) + slot, child)


@inner
def state_at(tree, node, slot):
    """Address of the state of an entry or a child."""
    return node + load(tree, STATES_AT) + slot * load(tree, STATE_BYTES)


@inner
def scratch(tree, number):
    """Address of a scratch state."""
    return load(tree, SCRATCH) + number * load(tree, STATE_BYTES)


@inner
def soil(tree, level):
    """Note that both spines changed at `level` and that cached aggregates at and below it are to be made again."""
    store(tree, LEFT_DIRTY, max(level, load(tree, LEFT_DIRTY)))
    store(tree, RIGHT_DIRTY, max(level, load(tree, RIGHT_DIRTY)))
    if level >= load(tree, HEIGHT):
        store(tree, MIDDLE_DIRTY, 1)


@inner
def move_slots(tree, source, from_slot, target, to_slot, slots):
    """Copy keys, children and states between nodes, or within one, where the ranges may overlap."""
    not_inlined()
    state_words = load(tree, STATE_BYTES) // 8
    children = KEYS + load(tree, MAX_ARITY)
    states = load(tree, STATES_AT) // 8
    _move_words(source, KEYS + from_slot, target, KEYS + to_slot, slots)
    if load(source, LEVEL) > 0:
        _move_words(source, children + from_slot, target, children + to_slot, slots)
    _move_words(
        source, states + from_slot * state_words, target, states + to_slot * state_words, slots * state_words
    )


@inner
def _move_words(source, first, target, place, words):
    if source == target and first < place:
        for word in range(words - 1, -1, -1):
            store(target, place + word, load(source, first + word))
    else:
        for word in range(words):
            store(target, place + word, load(source, first + word))


@inner
def copy_state(tree, target, source):
    not_inlined()
    for word in range(load(tree, STATE_BYTES) // 8):
        store(target, word, load(source, word))


@inner
def clear_scratch(tree, number):
    """The scratch state of that number, made the identity."""
    state = scratch(tree, number)
    clear(load(tree, PLAN), state)
    return state
