"""A key in extreme disorder: all its events have a place from the start, their rank by time (one sort before the call),
in a tree without pointers, 64 children a node. What has not arrived is the identity.

    ranks     0  1  2  3  4  5 … 63 | 64 …   an arrival is combined into its place and the node above it, level by level
    arrived   a  ·  b  c  ·  d …    | e  …   answer = suffix of the oldest node's places ⊗ young part
    levels    place 0 | … | place 129 | node 0 | node 1 | node 2 | the node above them: one block of states

The finger tree's insertion of one event far from the others walks down through nodes that are in no cache; here it
writes one place a level. For aggregates that commute: the others would have to make every node above again.
"""

from kernels.per_event.context import (
    BATCH,
    NO_TIME,
    PerEvent,
    answer_batch,
    answer_kernel,
    answer_taken,
    copy_state,
    lift_batch,
    make_room_in_front,
)
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, resize
from kernels.states import clear, fold, spread, suffixes

NO_BLOCK = -1
NODE_SHIFT = 6
NODE = 1 << NODE_SHIFT


def answer(context: PerEvent, first, end):
    make_room_in_front(context, NODE)
    _make_levels(context, end - first)
    context.youngest = NO_TIME
    event, low, block = first, 0, NO_BLOCK  # places [64 block, 64 block + 64) have suffixes in the front
    while event < end:
        taken, low = _find_older(context, first, (event, min(BATCH, end - event)), (low, block))
        if taken > 0:
            answer_taken(context, event, taken, context.young)
            _insert(context, event, taken)
        elif low >> NODE_SHIFT == block:
            taken = _answer_in_block(context, event, low)
        else:
            block = low >> NODE_SHIFT
            _make_suffixes(context, low)
            _make_young(context, block)
        event += taken


@inner
def _find_older(context, first, events, at):
    """(for how many events the block's suffixes last, first place of the window of the one for which they don't).
    events: the next, how many at most; at: the window's first place, the block.

    The batch's times mark which are too old; an event that falls into the block ends the batch.
    """
    not_inlined()
    event, batch = events
    low, block = at
    ascending, times, ranks = context.ascending[first:], context.times[event:], context.ranks[event:]
    for place in range(batch):
        youngest = max(times[place], context.youngest)
        while ascending[low] <= youngest - context.size:
            low += 1
        rank = ranks[place]
        if low >> NODE_SHIFT != block or (rank >= low and rank >> NODE_SHIFT == block):
            return place, low
        context.batch.times[place] = NO_TIME if rank < low else 0
        context.youngest = youngest
        context.batch.olders[place] = _suffix(context, low)
    return batch, low


@inner
def _suffix(context, low):
    return context.front + (low & NODE - 1) * context.state_bytes


@inner
def _above(places):
    return (places + NODE - 1) >> NODE_SHIFT


@inner
def _make_levels(context, places):
    """Levels over so many places, all the identity; the memory is that of those before."""
    not_inlined()
    states = nodes = places
    while nodes > 1:
        nodes = _above(nodes)
        states += nodes
    context.places = places
    context.levels = resize(context.levels, states * (context.state_bytes // WORD_BYTES))
    for state in range(states):
        clear(context.plan, context.levels + state * context.state_bytes)


@inner
def _insert(context, event, taken):
    """Combine the batch into its places and every node above. The batch's olders are no longer needed."""
    not_inlined()
    batch, state_bytes, ranks = context.batch, context.state_bytes, context.ranks[event:]
    level, nodes, shift = context.levels, context.places, 0
    while True:
        for row in range(taken):
            batch.olders[row] = level + (ranks[row] >> shift) * state_bytes
        spread(context.plan, batch.lifted, state_bytes, batch.olders, taken)
        if nodes <= 1:
            return
        level += nodes * state_bytes
        nodes, shift = _above(nodes), shift + NODE_SHIFT


@inner
def _answer_in_block(context, event, low):
    """One event that falls into the block; returns 1."""
    not_inlined()
    context.youngest = max(context.times[event], context.youngest)
    context.batch.times[0] = 0
    lift_batch(context, event, 1)
    _insert(context, event, 1)
    _make_suffixes(context, low)
    copy_state(context, context.batch.folded, context.young)
    context.batch.olders[0] = _suffix(context, low)
    answer_batch(context, event, 1)
    return 1


@inner
def _make_suffixes(context, low):
    end = min(context.places, ((low >> NODE_SHIFT) + 1) << NODE_SHIFT)
    states, state_bytes = context.levels + low * context.state_bytes, context.state_bytes
    suffixes(context.plan, _suffix(context, low), state_bytes, states, state_bytes, end - low)


@inner
def _make_young(context, node):
    """Aggregate of everything behind the block: at each level the nodes to its right below the same parent."""
    level, nodes, state_bytes = context.levels, context.places, context.state_bytes
    clear(context.plan, context.young)
    while nodes > 1:
        level += nodes * state_bytes
        nodes = _above(nodes)
        end = min(nodes, ((node >> NODE_SHIFT) + 1) << NODE_SHIFT)
        fold(context.plan, context.young, level + (node + 1) * state_bytes, state_bytes, end - node - 1)
        node >>= NODE_SHIFT


KERNEL = answer_kernel("rank_tree", answer, ranked=True)
