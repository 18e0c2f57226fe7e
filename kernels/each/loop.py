"""The one compiled call: all keys, each by the kernel that its events ask for."""

from kernels.aggregators import _doors
from kernels.calls import ask_5
from kernels.disorder import BY_TREE, IN_ORDER
from kernels.each.by_ranks import answer_by_ranks
from kernels.each.by_sorted_stacks import answer_by_sorted_stacks
from kernels.each.by_tree import answer_by_tree
from kernels.each.context import (
    BATCH,
    BATCH_TIMES,
    DOOR,
    FOLDED,
    FRONT,
    FRONT_ROOM,
    IDENTITY,
    KERNELS,
    LEVELS,
    LIFTED,
    OLDERS,
    PAIRS,
    PLAN,
    TREE,
    YOUNG,
    state_words,
)
from kernels.each.in_order import answer_in_order
from kernels.memory import entry, inner, load, release, resize, store
from kernels.ranks.levels import NODE
from kernels.states import clear

BY_SORTED_STACKS = 3  # beside the kinds of kernels/disorder.py
MIN_ARITY = 8
_STATES = (LIFTED, FOLDED)
_BLOCKS = (LIFTED, FOLDED, OLDERS, BATCH_TIMES, IDENTITY, YOUNG, FRONT, LEVELS, PAIRS)


@entry
def answer_keys(e, offsets, keys):
    """Answer every event of every key, by the kernels in KERNELS."""
    _allocate(e)
    for key in range(keys):
        first, end = load(offsets, key), load(offsets, key + 1)
        kernel = load(load(e, KERNELS), key)
        if kernel == IN_ORDER:
            answer_in_order(e, first, end)
        elif kernel == BY_SORTED_STACKS:
            answer_by_sorted_stacks(e, first, end)
        elif kernel == BY_TREE:
            answer_by_tree(e, first, end)
        else:
            answer_by_ranks(e, first, end)
    ask_5(load(e, DOOR), load(e, TREE), _doors.DESTROY, 0, 0, 0)
    for block in _BLOCKS:
        release(load(e, block))


@inner
def _allocate(e):
    words = state_words(e)
    for states in _STATES:
        store(e, states, resize(0, BATCH * words))
    store(e, OLDERS, resize(0, BATCH))
    store(e, BATCH_TIMES, resize(0, BATCH))
    store(e, PAIRS, resize(0, 4 * BATCH))
    store(e, FRONT, resize(0, NODE * words))
    store(e, FRONT_ROOM, NODE)
    store(e, YOUNG, resize(0, words))
    store(e, IDENTITY, resize(0, words))
    clear(load(e, PLAN), load(e, IDENTITY))
    store(e, TREE, ask_5(load(e, DOOR), 0, _doors.CREATE, load(e, PLAN), MIN_ARITY, 0))
