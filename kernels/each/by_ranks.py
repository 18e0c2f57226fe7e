"""A key in extreme disorder: all its events have a place from the start, their rank by time (one sort before the call),
in a tree without pointers, 64 children a node. What has not arrived is the identity.

    ranks     0  1  2  3  4  5 | 6  7 …      an arrival fills its place and is combined into the node above each
    arrived   a  ·  b  c  ·  d | ·  e …      answer = suffix of the oldest node's places ⊗ young part

The finger tree's insertion of one event far from the others walks down through nodes that are in no cache; here it
writes one place a level. For aggregates that commute: the others would have to make every node above again.
"""

from kernels.each.context import (
    BATCH,
    BATCH_TIMES,
    FOLDED,
    FRONT,
    LEVELS,
    LIFTED,
    NEVER,
    OLDERS,
    PLAN,
    RANKS,
    SIZE_US,
    SORTED,
    STATE_BYTES,
    TIMES,
    YOUNG,
    YOUNGEST,
    answer_batch,
    folded,
    lift_batch,
    lifted,
    state_words,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.ranks.levels import NODE, NODE_SHIFT, above, make_levels, put, put_each
from kernels.states import clear, copy_words, fold, prefixes, suffixes

NO_BLOCK = -1


@inner
def answer_by_ranks(e, first, end):
    """Answers of the events [first, end) of one key, whose RANKS and SORTED times are set. O(log n) each."""
    not_inlined()
    store(e, LEVELS, make_levels(load(e, PLAN), load(e, LEVELS), end - first))
    store(e, YOUNGEST, NEVER)
    event, low, block = first, 0, NO_BLOCK  # places [64 block, 64 block + 64) have suffixes in FRONT
    while event < end:
        taken, low = _find_older(e, load(e, SORTED) + 8 * first, event, min(BATCH, end - event), (low, block))
        if taken > 0:
            _answer(e, event, taken)
            _insert(e, end - first, event, taken)
        elif low >> NODE_SHIFT == block:
            taken = _answer_in_block(e, end - first, event, low)
        else:
            block = low >> NODE_SHIFT
            _make_suffixes(e, end - first, low)
            _make_young(e, end - first, block)
        event += taken


@inner
def _find_older(e, sorted_times, event, batch, at):
    """(for how many events the block's suffixes last, first place of the window of the one for which they don't).

    BATCH_TIMES tells which are too old; an event that falls into the block ends the batch.
    """
    not_inlined()
    low, block = at
    for place in range(batch):
        youngest = max(load(load(e, TIMES), event + place), load(e, YOUNGEST))
        while load(sorted_times, low) <= youngest - load(e, SIZE_US):
            low += 1
        rank = load(load(e, RANKS), event + place)
        if low >> NODE_SHIFT != block or (rank >= low and rank >> NODE_SHIFT == block):
            return place, low
        store(load(e, BATCH_TIMES), place, NEVER if rank < low else 0)
        store(e, YOUNGEST, youngest)
        store(load(e, OLDERS), place, load(e, FRONT) + (low & NODE - 1) * load(e, STATE_BYTES))
    return batch, low


@inner
def _answer(e, event, taken):
    lift_batch(e, event, taken)
    prefixes(load(e, PLAN), load(e, FOLDED), load(e, STATE_BYTES), load(e, LIFTED), taken, load(e, YOUNG))
    copy_words(load(e, YOUNG), folded(e, taken - 1), state_words(e))
    answer_batch(e, event, taken)


@inner
def _insert(e, places, event, taken):
    """Times and olders of the batch are no longer needed."""
    ranks = load(e, BATCH_TIMES)
    for place in range(taken):
        store(ranks, place, load(load(e, RANKS), event + place))
    put_each(load(e, PLAN), load(e, LEVELS), places, load(e, LIFTED), (taken, ranks, load(e, OLDERS)))


@inner
def _answer_in_block(e, places, event, low):
    """One event that falls into the block; returns 1."""
    not_inlined()
    store(e, YOUNGEST, max(load(load(e, TIMES), event), load(e, YOUNGEST)))
    store(load(e, BATCH_TIMES), 0, 0)
    lift_batch(e, event, 1)
    put(load(e, PLAN), load(e, LEVELS), places, load(load(e, RANKS), event), lifted(e, 0))
    _make_suffixes(e, places, low)
    copy_words(load(e, FOLDED), load(e, YOUNG), state_words(e))
    store(load(e, OLDERS), 0, load(e, FRONT) + (low & NODE - 1) * load(e, STATE_BYTES))
    answer_batch(e, event, 1)
    return 1


@inner
def _make_suffixes(e, places, low):
    """Suffix aggregates of the block's places from `low` on."""
    end = min(places, ((low >> NODE_SHIFT) + 1) << NODE_SHIFT)
    state_bytes = load(e, STATE_BYTES)
    suffixes(load(e, PLAN), load(e, FRONT) + (low & NODE - 1) * state_bytes, state_bytes,
             load(e, LEVELS) + low * state_bytes, state_bytes, end - low)


@inner
def _make_young(e, places, node):
    """Aggregate of everything behind the block: at each level the nodes to its right below the same parent."""
    level, state_bytes = load(e, LEVELS), load(e, STATE_BYTES)
    clear(load(e, PLAN), load(e, YOUNG))
    while places > 1:
        level += places * state_bytes
        places = above(places)
        end = min(places, ((node >> NODE_SHIFT) + 1) << NODE_SHIFT)
        fold(load(e, PLAN), load(e, YOUNG), level + (node + 1) * state_bytes, state_bytes, end - node - 1)
        node >>= NODE_SHIFT
