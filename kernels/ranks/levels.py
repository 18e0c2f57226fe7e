"""A tree without pointers over a fixed number of places, 64 children a node, all its levels in one block of states.

    places    0  1  2  3 … 63 | 64 …       a state goes into its place and into the node above it at each level
    nodes            0        |  1 …       a range is what stands beside the whole nodes in it, level by level

For aggregates that commute: what is combined into a node comes in any order.
"""

from kernels.memory import inner, load, not_inlined, resize, store
from kernels.plan import STATE_WORDS
from kernels.states import clear, fold, merge, spread

NODE_SHIFT = 6
NODE = 1 << NODE_SHIFT


@inner
def above(places):
    """Number of nodes above so many places or nodes."""
    return (places + NODE - 1) >> NODE_SHIFT


@inner
def make_levels(plan, before, places):
    """Address of the levels over so many places, all the identity; `before`: levels that are no longer needed, or 0."""
    not_inlined()
    states = nodes = places
    while nodes > 1:
        nodes = above(nodes)
        states += nodes
    words = load(plan, STATE_WORDS)
    levels = resize(before, states * words)
    for state in range(states):
        clear(plan, levels + 8 * words * state)
    return levels


@inner
def put(plan, levels, places, place, state):
    """Combine a state into its place and every node above."""
    state_bytes = 8 * load(plan, STATE_WORDS)
    while True:
        at = levels + place * state_bytes
        merge(plan, at, at, state)
        if places <= 1:
            return
        levels += places * state_bytes
        places, place = above(places), place >> NODE_SHIFT


@inner
def put_each(plan, levels, places, first, where):
    """The same for the states from `first` on. where: (how many, address of their places, which are used up, address of
    as many words to be used)."""
    not_inlined()
    states, theirs, targets = where
    state_bytes = 8 * load(plan, STATE_WORDS)
    while True:
        for row in range(states):
            place = load(theirs, row)
            store(targets, row, levels + place * state_bytes)
            store(theirs, row, place >> NODE_SHIFT)
        spread(plan, first, state_bytes, targets, states)
        if places <= 1:
            return
        levels += places * state_bytes
        places = above(places)


@inner
def fold_places(plan, levels, places, between, into):
    """into ⊗= the places [first, end), `between`. O(64 levels)."""
    not_inlined()
    first, end = between
    state_bytes = 8 * load(plan, STATE_WORDS)
    while end - first > 2 * NODE:
        whole, whole_end = above(first), end >> NODE_SHIFT
        fold(plan, into, levels + first * state_bytes, state_bytes, (whole << NODE_SHIFT) - first)
        fold(plan, into, levels + (whole_end << NODE_SHIFT) * state_bytes, state_bytes, end - (whole_end << NODE_SHIFT))
        levels += places * state_bytes
        places, first, end = above(places), whole, whole_end
    fold(plan, into, levels + first * state_bytes, state_bytes, max(0, end - first))
