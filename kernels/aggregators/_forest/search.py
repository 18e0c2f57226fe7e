"""Walks over complete nodes: by time, by a slide policy, and over a range. All begin at the old end of what they walk.

    a walk over nodes that begins at update 3; it takes whole nodes up, then down:

    level 2               [4      …      7]  [8      …      11]
    level 1               [     ] [       ]  [ 8  9 ]
    level 0    . . . [3]                            [10]
                     first: 3, then 4…7, and 8…11 is too much: 8…9, then 10

This is Algorithm 2 with the search begun at the leaves of the old end: it looks at O(log m) nodes where the search
from the root looks at O(log n), m of n updates being evicted. Its first steps are the few single evictions that §4.2.4
wants before the search. And it reads complete nodes only, never the leftmost branch, which single evictions
leave stale in the amortised tree: a node whose first update is at or after `first` has lost nothing.
"""

from kernels.aggregators._doors import DONE, NOTHING
from kernels.aggregators._forest.layout import (
    clear_scratch,
    copy_state,
    level_end,
    node,
    scratch,
    scratch_node,
)
from kernels.aggregators._forest.words import (
    END,
    FALLING_SLOT,
    FIRST,
    HAS_HEADS,
    HAS_OPEN,
    HEADS,
    HEIGHT,
    IS_RISING,
    MISSING,
    OPEN,
    PLAN,
    POSITION,
    PREFIX,
    RISING_SLOT,
    TOP,
    TRIAL,
    UNKNOWN_PLACE,
)
from kernels.memory import inner, load, not_inlined, store
from kernels.states import merge


@inner
def _is_there(forest, level, index):
    """Whether a node is complete and kept."""
    return level <= load(forest, TOP) and index < level_end(forest, level)


@inner
def _complete(forest, level, index, rising):
    """Address of a node of which no update was evicted; 0 if its page is missing."""
    if load(forest, HAS_HEADS) and level > 0 and index == load(forest, FIRST) >> level:
        return scratch_node(forest, HEADS + level)
    return node(forest, level, index, RISING_SLOT if rising else FALLING_SLOT)


@inner
def find(forest, time):
    """Place of the first update at or after `time`, END if there is none; UNKNOWN_PLACE if a page is missing.
    O(log m), m the updates before it."""
    not_inlined()
    position, level, rising = load(forest, FIRST), 0, True
    while position < load(forest, END):
        below = False
        if _is_there(forest, level, position >> level):
            found = _complete(forest, level, position >> level, rising)
            if found == 0:
                return UNKNOWN_PLACE
            below = load(found, 0) < time
        if below:
            position += 1 << level
            if rising and (position >> level) & 1 == 0:
                level += 1
        else:
            rising = False
            if level == 0:
                return position
            level -= 1
    return position


@inner
def fold_range(forest, first, end, into):
    """into ⊗= the updates in the places [first, end); False if a page is missing (`into` is then of no use).
    O(log(end − first))."""
    not_inlined()
    plan, position, level, rising = load(forest, PLAN), first, 0, True
    while position < end:
        if position + (1 << level) > end or not _is_there(forest, level, position >> level):
            rising = False
            level -= 1
        elif rising and (position >> level) & 1 == 0 and position + (2 << level) <= end \
                and _is_there(forest, level + 1, position >> (level + 1)):
            level += 1
        else:
            found = _complete(forest, level, position >> level, rising)
            if found == 0:
                return False
            merge(plan, into, into, found + 8)
            position += 1 << level
    return True


@inner
def begin_search(forest):
    """Begin the search of a slide policy for the longest prefix that it evicts."""
    clear_scratch(forest, PREFIX)
    store(forest, POSITION, load(forest, FIRST))
    store(forest, HEIGHT, 0)
    store(forest, IS_RISING, 1)


@inner
def propose(forest):
    """Put the prefix that the policy is to judge next into TRIAL: DONE; NOTHING at the end of the search; MISSING."""
    not_inlined()
    while load(forest, POSITION) < load(forest, END) and load(forest, HEIGHT) >= 0:
        level, position = load(forest, HEIGHT), load(forest, POSITION)
        if _is_there(forest, level, position >> level):
            found = _complete(forest, level, position >> level, load(forest, IS_RISING) == 1)
            if found == 0:
                return MISSING
            merge(load(forest, PLAN), scratch(forest, TRIAL), scratch(forest, PREFIX), found + 8)
            return DONE
        _fall(forest)
    if load(forest, HEIGHT) < 0 or load(forest, POSITION) > load(forest, END) or load(forest, HAS_OPEN) == 0:
        return NOTHING
    merge(load(forest, PLAN), scratch(forest, TRIAL), scratch(forest, PREFIX), scratch(forest, OPEN))
    return DONE


@inner
def _fall(forest):
    store(forest, IS_RISING, 0)
    store(forest, HEIGHT, load(forest, HEIGHT) - 1)


@inner
def judge(forest, evicts):
    """Go on after what was proposed, by the policy's verdict. A position behind END: the open entry goes as well."""
    if not evicts:
        _fall(forest)
        if load(forest, POSITION) >= load(forest, END):
            store(forest, HEIGHT, -1)
        return
    copy_state(forest, scratch(forest, PREFIX), scratch(forest, TRIAL))
    level, position = load(forest, HEIGHT), load(forest, POSITION)
    if position >= load(forest, END):
        store(forest, POSITION, position + 1)
        return
    position += 1 << level
    store(forest, POSITION, position)
    if load(forest, IS_RISING) and (position >> level) & 1 == 0:
        store(forest, HEIGHT, level + 1)
