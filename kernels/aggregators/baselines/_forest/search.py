"""Searches over complete nodes: by time, by a slide policy, and over a range. All begin at the old end of their nodes.

    a walk over nodes that begins at update 3; it takes whole nodes up, then down:

    level 2               [4      …      7]  [8      …      11]
    level 1               [     ] [       ]  [ 8  9 ]
    level 0    . . . [3]                            [10]
                     first: 3, then 4…7, and 8…11 is too much: 8…9, then 10

It rises from a left child only, so that it goes down for good once a node was too much: the parent was too. This is
Algorithm 2 with the search begun at the leaves of the old end: it looks at O(log m) nodes where the search
from the root looks at O(log n), m of n updates being evicted. Its first steps are the few single evictions that §4.2.4
wants before the search. And it reads complete nodes only, never the leftmost branch, which single evictions
leave stale in the amortised tree: a node whose first update is at or after `first` has lost nothing.
"""

from windrow.kernels.aggregators.baselines._forest import (
    UNKNOWN_PLACE,
    Forest,
    level_end,
    node,
    nth,
)
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.states import clear, merge


@inner
def is_there(forest, height, index):
    """Whether a node is complete and kept."""
    return height <= forest.top and index < level_end(forest, height)


@inner
def complete(forest, height, index):
    """A node of which no update was evicted; one at address 0 if its page is missing."""
    if forest.has_heads and height > 0 and index == forest.first >> height:
        return nth(forest, forest.heads, height)
    return node(forest, height, index)


@inner
def find(forest, time):
    """Place of the first update at or after `time`, `end` if there is none; UNKNOWN_PLACE if a page is missing.
    O(log m), m the updates before it."""
    not_inlined()
    position, height = forest.first, 0
    while position < forest.end:
        is_below = False
        if is_there(forest, height, position >> height):
            found = complete(forest, height, position >> height)
            if found.address == 0:
                return UNKNOWN_PLACE
            is_below = found.time < time
        if is_below:
            position += 1 << height
            if (position >> height) & 1 == 0:
                height += 1
        elif height == 0:
            return position
        else:
            height -= 1
    return position


@inner
def _fold_between(forest, first, end, with_open):
    """Address of the aggregate of the places [first, end), and of the open entry; 0 if a page is missing.
    O(log(end − first))."""
    not_inlined()
    result = clear(forest.plan, forest.result.state)
    position, height = first, 0
    while position < end:
        if not _fits(forest, position, height, end):
            height -= 1
        elif (position >> height) & 1 == 0 and _fits(forest, position, height + 1, end):
            height += 1
        else:
            found = complete(forest, height, position >> height)
            if found.address == 0:
                return 0
            merge(forest.plan, result, result, found.state)
            position += 1 << height
    if with_open:
        merge(forest.plan, result, result, forest.open.state)
    return result.address


@inner
def _fits(forest, position, height, end):
    """Whether the node that begins at a place is there, and ends before `end` or with it."""
    return position + (1 << height) <= end and is_there(forest, height, position >> height)


@inner
def open_is_in(forest, low, high):
    """Whether there is an open entry, with its time in [low, high)."""
    return forest.has_open and low <= forest.open.time < high


@inner
def range_query(forest: Forest, low, high):
    """Address of the aggregate of the entries with times in [low, high), valid until the next call; 0 if a page is
    missing. O(log n)."""
    not_inlined()
    first, end = find(forest, low), find(forest, high)
    if first == UNKNOWN_PLACE or end == UNKNOWN_PLACE:
        return 0
    return _fold_between(forest, first, end, open_is_in(forest, low, high))
