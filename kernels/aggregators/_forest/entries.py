"""Reading a forest: its entries in order of time, and the one that is open behind them."""

from kernels.aggregators._dispatch import NOT_OLDEST, NOTHING
from kernels.aggregators._forest.layout import FALLING_SLOT, MISSING
from kernels.aggregators._forest.nodes import cleared, node
from kernels.aggregators._forest.search import find, fold_range
from kernels.runtime.memory import inner, not_inlined
from kernels.states import merge


@inner
def oldest(forest):
    """Time of the oldest entry; the window must not be empty."""
    return forest.first_time if forest.first < forest.end else forest.open.time


@inner
def status_of(forest, time):
    """NOT_OLDEST if an entry is at `time`, NOTHING if none is; MISSING."""
    not_inlined()
    place = find(forest, time)
    if place == forest.end:
        return NOT_OLDEST if forest.open.time == time else NOTHING
    if place < 0:
        return MISSING
    found = node(forest, 0, place, FALLING_SLOT)
    if found.address == 0:
        return MISSING
    return NOT_OLDEST if found.time == time else NOTHING


@inner
def fold_between(forest, first, end, with_open):
    """(whether no page was missing, address of the aggregate of the places [first, end), and of the open entry)."""
    not_inlined()
    result = cleared(forest, forest.result)
    found = fold_range(forest, first, end, result)
    if with_open:
        merge(forest.plan, result, result, forest.open.state)
    return found, result.address


@inner
def open_is_in(forest, low, high):
    """Whether there is an open entry, with its time in [low, high)."""
    return forest.has_open and low <= forest.open.time < high


@inner
def fold_times(forest, low, high):
    """Address of the aggregate of the entries with times in [low, high), valid until the next call. O(log n).

    In memory only: with a store, the object takes the three steps one by one.
    """
    not_inlined()
    return fold_between(forest, find(forest, low), find(forest, high), open_is_in(forest, low, high))[1]
