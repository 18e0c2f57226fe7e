"""Where everything of a finger tree stands in memory.

A tree points to one block of nodes and one of states of its own. A node is named by its offset in the block of nodes,
0 meaning none; its address holds only until the next new node, which may move the block.

    leaf, named 832        end  first   times (room for 64)             states (room for 64)
                           [6] [2]     [·  ·  5  6  8  9  …]            [·  ·  a  b  c  d  …]
                                             entries stand in the slots 2 to 5: 0 and 1 were evicted

    inner node             end  level   keys (16)      children (16)    states (16)
                           [3] [1]     [1  5  9 …]    [16  832  1648]   [·  a⊗b⊗c⊗d  · …]

With one word a state and a minimum arity of 8 a full leaf takes 16.25 bytes an entry, and what is above it 0.4.
Key i of an inner node is a lower bound of child i, tight only in that times of child i − 1 are below it; key 0 of a
node on the left spine means nothing. State i is the aggregate of child i, except where that lies on a spine.
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.runtime.fields import (
    WORD_BYTES,
    Address,
    Array,
    Bytes,
    Code,
    Count,
    Inline,
    Integer,
    IsSet,
    Place,
    Pointer,
    Ref,
    Tail,
)
from windrow.kernels.runtime.memory import inner, move, not_inlined
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.sorting import Pairs
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.states import fold
from windrow.kernels.states.layout import StatePlan

MAX_LEVELS = 40
CHUNK = 512  # events of a burst that are lifted at once
PENDING_MOST = 512
CLEAN = -1

Time = Integer("what entries are in order of: event time in µs, or any other int64, as an arrival ordinal or a rank")
Name = Integer("bytes from the beginning of the block of nodes; 0: none")
Level = Integer("levels above the leaves")


class Node(Struct):
    """A leaf, or an inner node. end: slots before it are filled.

    first: of a leaf, those before it were evicted; an inner node has its level there
    times: of the entries; of an inner node the keys, behind which stand the children's names. Then follow the states
    """

    end: Place
    first: Place
    times: Tail(Time)


class InnerNode(Struct):
    """The head of an inner node; next_free: of one in a free list, as of a leaf there."""

    end: Place
    level: Level
    next_free: Name


NODE_HEAD = Node.size_bytes


class Search(Struct):
    """A prefix search that is going on (first_where.py)."""

    predicate: Operation(Address, Address, Address)
    parameters: Address
    prefix: Address
    has_failed: IsSet


class Tree(Struct):
    """A finger tree."""

    nodes: Address
    used: Bytes
    capacity: Bytes

    # Free leaves; inner nodes with all that is below them; inner nodes alone.
    free_leaf: Name
    free_inner: Name
    open_inner: Name
    frees_at_once: IsSet

    min_arity: Count
    max_arity: Count
    leaf_min: Count
    leaf_max: Count
    leaf_bytes: Bytes
    leaf_states: Bytes  # from the beginning of a leaf
    inner_bytes: Bytes
    inner_states: Bytes
    state_bytes: Bytes
    plan: Ref(StatePlan)
    is_commutative: IsSet

    height: Level
    left: Array(Name, MAX_LEVELS)  # the two spines, from the leaves up
    right: Array(Name, MAX_LEVELS)

    # A side is the aggregate of a spine's inner children from a level up to below the root, `middle` that of the
    # root's. Dirty: the highest level whose side is out of date, CLEAN if none is.
    left_dirty: Level
    right_dirty: Level
    middle_dirty: IsSet
    left_sides: Address
    right_sides: Address
    middle: Address

    # The two parts of a query: suffixes of the left leaf, by slot, kept below suffix_end; and all that is younger.
    young_dirty: IsSet
    suffix_end: Place
    suffixes: Address
    young: Address

    # Late entries that wait to be inserted together, and the aggregate of them all.
    pending: Count
    pending_oldest: Time
    pending_times: Pointer(Time)
    pending_states: Address
    pending_sum: Address

    # The path to a leaf from where it leaves the right spine, or above: a node a level, and the slot of the one below.
    # repair: what its aggregate in the parent lacks: nothing, a change, or it is to be made again (path.py).
    top: Level
    path: Array(Name, MAX_LEVELS)
    slot: Array(Place, MAX_LEVELS)
    repair: Array(Code, MAX_LEVELS)
    changes: Address

    search: Inline(Search)

    # Working space: a lifted chunk, one time, what is pending in order, a leaf with what goes into it, and states.
    scratch: Address
    lifted: Address
    one_time: Array(Time, 1)
    pairs: Ref(Pairs)
    sorted_states: Address
    merged_times: Pointer(Time)
    merged_states: Address
    result: Address
    spare: Address


@inner
def node_at(tree, name):
    return Node(tree.nodes + name)


@inner
def left_leaf(tree):
    return node_at(tree, tree.left[0])


@inner
def right_leaf(tree):
    return node_at(tree, tree.right[0])


@inner
def is_empty(tree: Tree):
    leaf = right_leaf(tree)
    return leaf.first == leaf.end


@inner
def youngest(tree):
    """Time of the youngest entry; the tree must not be empty. What is pending is older."""
    leaf = right_leaf(tree)
    return leaf.times[leaf.end - 1]


@inner
def oldest(tree: Tree):
    """Time of the oldest entry; FOREVER if there is none."""
    if is_empty(tree):
        return FOREVER
    leaf = left_leaf(tree)
    time = leaf.times[leaf.first]
    return min(time, tree.pending_oldest) if tree.pending > 0 else time


@inner
def children_of(tree, node):
    return node.times[tree.max_arity :]


@inner
def child_at(tree, node, slot):
    return node.times[tree.max_arity + slot]


@inner
def set_child(tree, node, slot, key, child):
    node.times[slot] = key
    node.times[tree.max_arity + slot] = child


@inner
def state_at(tree, level, node, slot):
    """Address of the state of an entry, or of the aggregate of a child."""
    return node.address + (tree.leaf_states if level == 0 else tree.inner_states) + slot * tree.state_bytes


@inner
def mark_sides_dirty(tree, level):
    """Note that both spines changed at `level`: cached sides at and below it are to be made again."""
    tree.left_dirty = max(level, tree.left_dirty)
    tree.right_dirty = max(level, tree.right_dirty)
    tree.middle_dirty = True


@inner
def mark_query_dirty(tree):
    """Note that the two parts of a query are to be made again: a slot of the left leaf changed, say."""
    tree.young_dirty = True
    tree.suffix_end = 0


@inner
def compact(tree, leaf):
    """Move a leaf's entries to its front."""
    not_inlined()
    if leaf.first > 0:
        move_slots(tree, 0, leaf, leaf.first, (leaf, 0), leaf.end - leaf.first)
        leaf.end -= leaf.first
        leaf.first = 0
        mark_query_dirty(tree)


@inner
def move_slots(tree, level, source, from_slot, target_and_slot, slots):
    """Copy entries between leaves, or children with keys and aggregates between inner nodes, or within one, where the
    ranges may overlap; target_and_slot: where they go."""
    target, to_slot = target_and_slot
    move(target.times[to_slot:], source.times[from_slot:], slots)
    if level > 0:
        move(children_of(tree, target)[to_slot:], children_of(tree, source)[from_slot:], slots)
    states = slots * (tree.state_bytes // WORD_BYTES)
    move(state_at(tree, level, target, to_slot), state_at(tree, level, source, from_slot), states)


@inner
def fold_slots(tree, into, level, node, first, end):
    """into ⊗= the states in the slots [first, end)."""
    fold(tree.plan, into, state_at(tree, level, node, first), tree.state_bytes, end - first)
