"""A key in extreme disorder: all its events have a place from the start, their rank by time (one sort before the call),
in a tree without pointers, 64 children a node. What has not arrived is the identity.

    ranks     0  1  2  3  4  5 | 6  7 …      an arrival fills its place and is combined into the node above each
    arrived   a  ·  b  c  ·  d | ·  e …      answer = suffix of the oldest node's places ⊗ young part

The finger tree's insertion of one event far from the others walks down through nodes that are in no cache; here it
writes one place a level. For aggregates that commute: the others would have to make every node above again.
"""

from functools import cache

from kernels.per_event.context import (
    BATCH,
    NEVER,
    PerEvent,
    answer_batch,
    folded,
    lift_batch,
    lifted,
    make_room_in_front,
)
from kernels.per_event.kernel import Answering, AnswerKernel, compiled_answering
from kernels.ranks.levels import NODE, NODE_SHIFT, above, make_levels, put, put_each, set_plan
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release
from kernels.states import clear, copy_words, fold, prefixes, suffixes

NO_BLOCK = -1


def allocate(run: PerEvent):
    set_plan(run.levels, run.plan)
    make_room_in_front(run, NODE)


def answer(run: PerEvent, first, end):
    """Answers of the events [first, end) of one key, which are ranked. O(log n) each."""
    make_levels(run.levels, end - first)
    run.youngest = NEVER
    event, low, block = first, 0, NO_BLOCK  # places [64 block, 64 block + 64) have suffixes in the front
    while event < end:
        taken, low = _find_older(run, first, (event, min(BATCH, end - event)), (low, block))
        if taken > 0:
            _answer_taken(run, event, taken)
            _insert(run, event, taken)
        elif low >> NODE_SHIFT == block:
            taken = _answer_in_block(run, event, low)
        else:
            block = low >> NODE_SHIFT
            _make_suffixes(run, low)
            _make_young(run, block)
        event += taken


@inner
def _find_older(run, first, events, at):
    """(for how many events the block's suffixes last, first place of the window of the one for which they don't).
    events: the next, how many at most; at: the window's first place, the block.

    The batch's times mark which are too old; an event that falls into the block ends the batch.
    """
    not_inlined()
    event, batch = events
    low, block = at
    ascending, times, ranks = run.ranked.ascending[first:], run.times[event:], run.ranked.ranks[event:]
    for place in range(batch):
        youngest = max(times[place], run.youngest)
        while ascending[low] <= youngest - run.size:
            low += 1
        rank = ranks[place]
        if low >> NODE_SHIFT != block or (rank >= low and rank >> NODE_SHIFT == block):
            return place, low
        run.batch.times[place] = NEVER if rank < low else 0
        run.youngest = youngest
        run.batch.olders[place] = _suffix(run, low)
    return batch, low


@inner
def _suffix(run, low):
    """Address of the aggregate of the block's places from `low` on."""
    return run.front + (low & NODE - 1) * run.state_bytes


@inner
def _answer_taken(run, event, taken):
    lift_batch(run, event, taken)
    prefixes(run.plan, run.batch.folded, run.state_bytes, run.batch.lifted, taken, run.young)
    copy_words(run.young, folded(run, taken - 1), run.state_bytes // WORD_BYTES)
    answer_batch(run, event, taken)


@inner
def _insert(run, event, taken):
    """The batch's olders are no longer needed."""
    places, ranks = run.batch.places, run.ranked.ranks[event:]
    for place in range(taken):
        places[place] = ranks[place]
    put_each(run.levels, run.batch.lifted, taken, places, run.batch.olders)


@inner
def _answer_in_block(run, event, low):
    """One event that falls into the block; returns 1."""
    not_inlined()
    run.youngest = max(run.times[event], run.youngest)
    run.batch.times[0] = 0
    lift_batch(run, event, 1)
    put(run.levels, run.ranked.ranks[event], lifted(run, 0))
    _make_suffixes(run, low)
    copy_words(run.batch.folded, run.young, run.state_bytes // WORD_BYTES)
    run.batch.olders[0] = _suffix(run, low)
    answer_batch(run, event, 1)
    return 1


@inner
def _make_suffixes(run, low):
    """Suffix aggregates of the block's places from `low` on."""
    end = min(run.levels.places, ((low >> NODE_SHIFT) + 1) << NODE_SHIFT)
    states, state_bytes = run.levels.states + low * run.state_bytes, run.state_bytes
    suffixes(run.plan, _suffix(run, low), state_bytes, states, state_bytes, end - low)


@inner
def _make_young(run, node):
    """Aggregate of everything behind the block: at each level the nodes to its right below the same parent."""
    level, nodes, state_bytes = run.levels.states, run.levels.places, run.state_bytes
    clear(run.plan, run.young)
    while nodes > 1:
        level += nodes * state_bytes
        nodes = above(nodes)
        end = min(nodes, ((node >> NODE_SHIFT) + 1) << NODE_SHIFT)
        fold(run.plan, run.young, level + (node + 1) * state_bytes, state_bytes, end - node - 1)
        node >>= NODE_SHIFT


def release_levels(run: PerEvent):
    release(run.levels.states)


@cache
def answering() -> Answering:
    """The table, compiled or loaded when it is first asked for."""
    return compiled_answering("rank_tree", allocate=allocate, answer=answer, release=release_levels)


KERNEL = AnswerKernel("rank_tree", answering, ranked=True)
