"""Reading a forest: its entries in order of time, and the one that is open behind them."""

from kernels.aggregators import _doors
from kernels.aggregators._doors import NOT_OLDEST, NOTHING
from kernels.aggregators._forest.layout import clear_scratch, copy_node, destroy, node, scratch, scratch_node
from kernels.aggregators._forest.search import find, fold_range
from kernels.aggregators._forest.words import (
    END,
    FALLING_SLOT,
    FIRST,
    FIRST_TIME,
    HAS_OPEN,
    MISSING,
    NODE_BYTES,
    OPEN,
    OPEN_TIME,
    PLAN,
    RESULT,
)
from kernels.memory import inner, load, not_inlined
from kernels.states import merge


@inner
def is_empty(s):
    return load(s, HAS_OPEN) == 0


@inner
def oldest(s):
    """Time of the oldest entry; the window must not be empty."""
    return load(s, FIRST_TIME) if load(s, FIRST) < load(s, END) else load(s, OPEN_TIME)


@inner
def youngest(s):
    """Time of the youngest entry; the window must not be empty."""
    return load(s, OPEN_TIME)


@inner
def status_of(s, time):
    """NOT_OLDEST if an entry is at `time`, NOTHING if none is; MISSING."""
    not_inlined()
    place = find(s, time)
    if place == load(s, END):
        return NOT_OLDEST if load(s, OPEN_TIME) == time else NOTHING
    found = node(s, 0, place, FALLING_SLOT) if place >= 0 else 0
    if found == 0:
        return MISSING
    return NOT_OLDEST if load(found, 0) == time else NOTHING


@inner
def fold_between(s, first, end, with_open):
    """(whether no page was missing, address of the aggregate of the places [first, end), and of the open entry)."""
    not_inlined()
    result = clear_scratch(s, RESULT)
    found = fold_range(s, first, end, result)
    if with_open:
        merge(load(s, PLAN), result, result, scratch(s, OPEN))
    return found, result


@inner
def open_is_in(s, low, high):
    """Whether there is an open entry, with its time in [low, high)."""
    return load(s, HAS_OPEN) == 1 and low <= load(s, OPEN_TIME) < high


@inner
def range_query(s, low, high):
    """Address of the aggregate of the entries with times in [low, high), valid until the next call. O(log n).

    In memory only: with a store, the face takes the three steps one by one.
    """
    not_inlined()
    return fold_between(s, find(s, low), find(s, high), open_is_in(s, low, high))[1]


@inner
def of_any_forest(s, operation, first, second, third):
    """The operations of _doors.py that read, for forests in memory; with a store, the face serves missing pages."""
    not_inlined()
    if operation == _doors.RANGE_QUERY:
        return range_query(s, first, second)
    if operation == _doors.IS_EMPTY:
        return 1 if is_empty(s) else 0
    if operation == _doors.OLDEST:
        return _doors.FOREVER if is_empty(s) else oldest(s)
    if operation == _doors.YOUNGEST:
        return -_doors.FOREVER if is_empty(s) else youngest(s)
    if operation == _doors.FIRST_FROM:
        return _first_from(s, first)
    if operation == _doors.COUNT:
        return load(s, END) - load(s, FIRST) + load(s, HAS_OPEN)
    if operation == _doors.COUNT_BETWEEN:
        return max(0, find(s, second) - find(s, first)) + (1 if open_is_in(s, first, second) else 0)
    if operation == _doors.APPEND_RANGE:
        merge(load(s, PLAN), third, third, range_query(s, first, second))
    elif operation == _doors.COPY_ENTRIES:
        _copy_entries(s, first, second, third)
    elif operation == _doors.DESTROY:
        destroy(s)
    return _doors.DONE


@inner
def _first_from(s, time):
    place = find(s, time)
    if place < load(s, END):
        return load(node(s, 0, place, 0), 0)
    return load(s, OPEN_TIME) if open_is_in(s, time, _doors.FOREVER) else _doors.FOREVER


@inner
def _copy_entries(s, low, high, target):
    """A leaf is (time, own state), which is just what is asked for."""
    for place in range(find(s, low), find(s, high)):
        copy_node(s, target, node(s, 0, place, 0))
        target += load(s, NODE_BYTES)
    if open_is_in(s, low, high):
        copy_node(s, target, scratch_node(s, OPEN))
