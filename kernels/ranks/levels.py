"""A tree without pointers over a fixed number of places, 64 children a node, all its levels in one block of states.

    places    0  1  2  3 … 63 | 64 …       a state goes into its place and into the node above it at each level
    nodes            0        |  1 …       a range is what stands next to the whole nodes in it, level by level

For aggregates that commute: what is combined into a node comes in any order.
"""

from kernels.runtime.fields import Address, Bytes, Count, Ref
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, resize
from kernels.runtime.struct import Struct
from kernels.states import clear, merge, spread
from kernels.states.layout import StatePlan

NODE_SHIFT = 6
NODE = 1 << NODE_SHIFT


class Levels(Struct):
    """All levels one after the other, that of the places first.

    states    place 0 | … | place 129 | node 0 | node 1 | node 2 | the node above them
    """

    plan: Ref(StatePlan)
    state_bytes: Bytes
    places: Count
    states: Address


@inner
def set_plan(levels, plan):
    """Of levels over no places yet."""
    levels.plan = plan
    levels.state_bytes = WORD_BYTES * plan.state_words


@inner
def above(places):
    """Number of nodes above so many places or nodes."""
    return (places + NODE - 1) >> NODE_SHIFT


@inner
def make_levels(levels, places):
    """Levels over so many places, all the identity; the memory is that of those before."""
    not_inlined()
    states = nodes = places
    while nodes > 1:
        nodes = above(nodes)
        states += nodes
    levels.places = places
    levels.states = resize(levels.states, states * (levels.state_bytes // WORD_BYTES))
    for state in range(states):
        clear(levels.plan, levels.states + state * levels.state_bytes)


@inner
def put(levels, place, state):
    """Combine a state into its place and every node above."""
    plan, state_bytes = levels.plan, levels.state_bytes
    level, nodes = levels.states, levels.places
    while True:
        at = level + place * state_bytes
        merge(plan, at, at, state)
        if nodes <= 1:
            return
        level += nodes * state_bytes
        nodes, place = above(nodes), place >> NODE_SHIFT


@inner
def put_each(levels, first, states, places, spare):
    """The same for the states from `first` on. places: theirs, which are used up; spare: room for as many addresses."""
    not_inlined()
    plan, state_bytes = levels.plan, levels.state_bytes
    level, nodes = levels.states, levels.places
    while True:
        for row in range(states):
            place = places[row]
            spare[row] = level + place * state_bytes
            places[row] = place >> NODE_SHIFT
        spread(plan, first, state_bytes, spare, states)
        if nodes <= 1:
            return
        level += nodes * state_bytes
        nodes = above(nodes)
