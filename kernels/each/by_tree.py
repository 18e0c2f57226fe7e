"""A key whose events arrive out of order: batches of them answered by running folds, then put into a finger tree as one
burst.

    left leaf's suffixes    cd d          ⊗ young part, continued event by event:  y  yz  yzw      three answers
    then  z, w into the tree, sorted (FIBA §5), and the next batch

A batch ends where the left leaf's suffixes do, and before an event that would evict one of the batch. Aggregates that
don't commute take late events one by one. Measured with one insertion, eviction and query an event (sum, 2^22 events a
window): 55 ns an event; in batches 15 to 20.
"""

from kernels.aggregators import _doors
from kernels.aggregators.finger_tree.layout import (
    FIRST,
    KEYS,
    PENDING,
    PENDING_OLDEST,
    SUFFIX_END,
    SUFFIXES,
    YOUNG_DIRTY,
    scratch,
)
from kernels.aggregators.finger_tree.layout import YOUNG as TREE_YOUNG
from kernels.aggregators.finger_tree.search import is_empty, left_leaf, youngest
from kernels.calls import ask_5
from kernels.each.context import (
    BATCH,
    BATCH_TIMES,
    DOOR,
    FOLDED,
    FOREVER,
    IDENTITY,
    LIFTED,
    NEVER,
    OLDERS,
    PAIRS,
    PLAN,
    SIZE_US,
    STATE_BYTES,
    TIMES,
    TREE,
    YOUNG,
    YOUNGEST,
    answer_batch,
    commutes,
    folded,
    lift_batch,
    lifted,
    state_words,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.sorting import sort_pairs
from kernels.states import copy_words, prefixes


@inner
def answer_by_tree(e, first, end):
    """Answers of the events [first, end) of one key. O(log d) amortised each."""
    not_inlined()
    tree, event = load(e, TREE), first
    ask_5(load(e, DOOR), tree, _doors.RESET, 0, 0, 0)
    store(e, YOUNGEST, NEVER)
    while event < end:
        taken = _find_older(e, event, min(BATCH, end - event)) if load(tree, YOUNG_DIRTY) == 0 else 0
        if taken > 0:
            _answer(e, event, taken)
            _insert_batch(e, taken)
        elif not commutes(e) and load(load(e, TIMES), event) < load(e, YOUNGEST):
            taken = _answer_late_one(e, event)
        else:
            newest = max(load(e, YOUNGEST), load(load(e, TIMES), event))
            ask_5(load(e, DOOR), tree, _doors.BULK_EVICT, newest - load(e, SIZE_US), 0, 0)
            ask_5(load(e, DOOR), tree, _doors.QUERY, 0, 0, 0)
        event += taken


@inner
def _find_older(e, event, batch):
    """For how many events the left leaf's suffixes last; one that is too old for the window gets the time NEVER."""
    not_inlined()
    tree, in_order_only = load(e, TREE), not commutes(e)
    leaf, empty = left_leaf(tree), is_empty(tree)
    first, oldest = load(leaf, FIRST), load(tree, PENDING_OLDEST) if load(tree, PENDING) > 0 else FOREVER
    for place in range(batch):
        time = load(load(e, TIMES), event + place)
        newest = max(time, load(e, YOUNGEST))
        until, here = newest - load(e, SIZE_US), first
        while here < load(tree, SUFFIX_END) and load(leaf, KEYS + here) <= until:
            here += 1
        used_up = here == load(tree, SUFFIX_END) and not empty
        if used_up or until >= oldest or (in_order_only and time < newest):
            store(leaf, FIRST, first)
            return place
        first = here
        store(e, YOUNGEST, newest)
        store(load(e, OLDERS), place, load(e, IDENTITY) if empty else scratch(tree, SUFFIXES + first))
        store(load(e, BATCH_TIMES), place, time if time > until else NEVER)
        if time > until:
            oldest = min(oldest, time)
    store(leaf, FIRST, first)
    return batch


@inner
def _answer(e, event, taken):
    """Answers of a batch; the tree's young part, with the batch, is left at YOUNG."""
    lift_batch(e, event, taken)
    young = scratch(load(e, TREE), TREE_YOUNG)
    prefixes(load(e, PLAN), load(e, FOLDED), load(e, STATE_BYTES), load(e, LIFTED), taken, young)
    copy_words(load(e, YOUNG), folded(e, taken - 1), state_words(e))
    answer_batch(e, event, taken)


@inner
def _insert_batch(e, taken):
    """Put a batch into the tree, sorted; what is older than all of the tree's youngest waits for others (pending.py).
    """
    not_inlined()
    tree = load(e, TREE)
    in_order, late = _part(e, taken)
    if late > 0:
        _merge_late(e, in_order, late)
    if in_order + late > 0:
        ask_5(load(e, DOOR), tree, _doors.INSERT_SORTED, load(e, BATCH_TIMES), load(e, LIFTED), in_order + late)
    if load(tree, YOUNG_DIRTY) == 0:
        copy_words(scratch(tree, TREE_YOUNG), load(e, YOUNG), state_words(e))


@inner
def _part(e, taken):
    """Move the events of a batch that are in order to its front, those a little late to FOLDED, which isn't needed any
    more, with their times in PAIRS; the others are held back in the tree. Returns how many are in order, and late."""
    tree, times, pairs = load(e, TREE), load(e, BATCH_TIMES), load(e, PAIRS)
    in_order = late = 0
    newest = oldest = NEVER if is_empty(tree) else youngest(tree)
    for place in range(taken):
        time = load(times, place)
        if time == NEVER:
            continue
        if time >= newest:
            newest = time
            store(times, in_order, time)
            copy_words(lifted(e, in_order), lifted(e, place), state_words(e))
            in_order += 1
        elif time >= oldest:
            store(pairs, 2 * late, time)
            store(pairs, 2 * late + 1, folded(e, late))
            copy_words(folded(e, late), lifted(e, place), state_words(e))
            late += 1
        else:
            ask_5(load(e, DOOR), tree, _doors.HOLD, time, lifted(e, place), 0)
    return in_order, late


@inner
def _merge_late(e, in_order, late):
    """Merge the late events into those in order, from the young end on: there is room behind these."""
    times = load(e, BATCH_TIMES)
    pairs = sort_pairs(load(e, PAIRS), load(e, PAIRS) + 16 * BATCH, late)
    while late > 0:
        place = in_order + late - 1
        if in_order > 0 and load(times, in_order - 1) > load(pairs, 2 * late - 2):
            in_order -= 1
            store(times, place, load(times, in_order))
            copy_words(lifted(e, place), lifted(e, in_order), state_words(e))
        else:
            late -= 1
            store(times, place, load(pairs, 2 * late))
            copy_words(lifted(e, place), load(pairs, 2 * late + 1), state_words(e))


@inner
def _answer_late_one(e, event):
    """One late event, in its place; returns 1."""
    not_inlined()
    tree, time = load(e, TREE), load(load(e, TIMES), event)
    store(load(e, BATCH_TIMES), 0, time)
    lift_batch(e, event, 1)
    if time > load(e, YOUNGEST) - load(e, SIZE_US):
        ask_5(load(e, DOOR), tree, _doors.INSERT, time, lifted(e, 0), 0)
    copy_words(load(e, FOLDED), ask_5(load(e, DOOR), tree, _doors.QUERY, 0, 0, 0), state_words(e))
    store(load(e, OLDERS), 0, load(e, IDENTITY))
    answer_batch(e, event, 1)
    return 1
