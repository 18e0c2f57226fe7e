"""A replay's events of one key by their rank, behind one address (kernels/aggregators/_doors.py).

    EXPECT(1 2 4 4 9)   place  0  1  2  3  4       rows 0 1 2 … have ranks 4, 0, 2, …: the first of their time
    INSERT of row 0     holds  ·  ·  ·  ·  a       an entry is there if its state covers an event (events_of)
    INSERT of row 2     holds  ·  ·  b  ·  a       COUNT_BETWEEN(2, 10) → 2; BULK_EVICT(4): FIRST = 4

It serves what a replay asks for, no more: no bursts, no eviction of one entry, no query of all. An insertion below what
was evicted is OUT_OF_ORDER. For plans that count events and commute.

With n events expected: INSERT O(log n), range queries O(64 log n); EXPECT O(n).
"""

from kernels.aggregators import _doors
from kernels.memory import inner, load, move, not_inlined, release, resize, store
from kernels.native import door_of
from kernels.plan import STATE_WORDS
from kernels.ranks.levels import NODE_SHIFT, above, fold_places, make_levels, put
from kernels.states import clear, events_of

PLAN, STATE_BYTES, RESULT, LEVELS, PLACES, TIMES, RANKS, FIRST, YOUNGEST, FOUND = range(10)
"""FIRST: first place not evicted; YOUNGEST: last with an entry, −1 if there is none; FOUND: where the last time looked
for is."""
HEADER_WORDS = 10


@inner
def _create(plan):
    not_inlined()
    tree = resize(0, HEADER_WORDS)
    for word in range(HEADER_WORDS):
        store(tree, word, 0)
    store(tree, PLAN, plan)
    store(tree, STATE_BYTES, 8 * load(plan, STATE_WORDS))
    store(tree, RESULT, resize(0, load(plan, STATE_WORDS)))
    _forget(tree)
    return tree


@inner
def _destroy(tree):
    release(load(tree, LEVELS))
    release(load(tree, RESULT))
    release(tree)


@inner
def _forget(tree):
    """Expect nothing; the levels' memory is kept."""
    for word in (PLACES, FIRST, FOUND):
        store(tree, word, 0)
    store(tree, YOUNGEST, -1)


@inner
def _expect(tree, times, rows, ranks):
    not_inlined()
    _forget(tree)
    store(tree, LEVELS, make_levels(load(tree, PLAN), load(tree, LEVELS), rows))
    store(tree, PLACES, rows)
    store(tree, TIMES, times)
    store(tree, RANKS, ranks)


@inner
def _insert(tree, state, row):
    rank = load(load(tree, RANKS), row)
    if rank < load(tree, FIRST):
        return _doors.OUT_OF_ORDER
    put(load(tree, PLAN), load(tree, LEVELS), load(tree, PLACES), rank, state)
    store(tree, YOUNGEST, max(rank, load(tree, YOUNGEST)))
    return _doors.DONE


@inner
def _is_empty(tree):
    return load(tree, YOUNGEST) < load(tree, FIRST)


@inner
def _place_of(tree, time):
    """First place at or after `time`. Galloping from where the last one was: windows come one after the other."""
    times, places, low, stride = load(tree, TIMES), load(tree, PLACES), 0, 1
    high = load(tree, FOUND)
    if high < places and load(times, high) < time:
        low = high + 1
        while low + stride <= places and load(times, low + stride - 1) < time:
            low += stride
            stride *= 2
        high = min(low + stride - 1, places)
    else:
        while high - stride >= 0 and load(times, high - stride) >= time:
            high -= stride
            stride *= 2
        low = max(0, high - stride)
    while low < high:
        middle = (low + high) >> 1
        if load(times, middle) < time:
            low = middle + 1
        else:
            high = middle
    store(tree, FOUND, low)
    return low


@inner
def _live_place(tree, time):
    return max(_place_of(tree, time), load(tree, FIRST))


@inner
def _range_query(tree, low, high, into):
    first, end = _live_place(tree, low), _live_place(tree, high)
    if first < end:
        fold_places(load(tree, PLAN), load(tree, LEVELS), load(tree, PLACES), (first, end), into)
    return into


@inner
def _state(tree, place):
    return load(tree, LEVELS) + place * load(tree, STATE_BYTES)


@inner
def _next_entry(tree, place):
    """First place from `place` on with an entry, PLACES if there is none: up until a node to the right has one, and
    down into it. O(64 log n)."""
    not_inlined()
    if place > load(tree, YOUNGEST):
        return load(tree, PLACES)
    level, places, at, height = load(tree, LEVELS), load(tree, PLACES), place, 0
    while True:
        end = min(places, ((at >> NODE_SHIFT) + 1) << NODE_SHIFT)
        while at < end and events_of(level + at * load(tree, STATE_BYTES)) == 0:
            at += 1
        if at < end and height == 0:
            return at
        if at < end:
            height -= 1
            places = _nodes_at(tree, height)
            level -= places * load(tree, STATE_BYTES)
            at <<= NODE_SHIFT
        else:
            level += places * load(tree, STATE_BYTES)
            places = above(places)
            at = end >> NODE_SHIFT
            height += 1


@inner
def _nodes_at(tree, height):
    """Number of nodes of a level, 0 being that of the places."""
    nodes = load(tree, PLACES)
    for _ in range(height):
        nodes = above(nodes)
    return nodes


@inner
def _count_between(tree, low, high):
    not_inlined()
    entries = 0
    for place in range(_live_place(tree, low), _live_place(tree, high)):
        entries += 1 if events_of(_state(tree, place)) > 0 else 0
    return entries


@inner
def _copy_entries(tree, low, high, target):
    not_inlined()
    for place in range(_live_place(tree, low), _live_place(tree, high)):
        if events_of(_state(tree, place)) > 0:
            store(target, 0, load(load(tree, TIMES), place))
            move(target + 8, _state(tree, place), load(tree, STATE_BYTES) >> 3)
            target += 8 + load(tree, STATE_BYTES)


@inner
def _time_from(tree, place):
    """Time of the first entry from a place on."""
    found = _next_entry(tree, place)
    return _doors.FOREVER if found == load(tree, PLACES) else load(load(tree, TIMES), found)


def ranks_door(tree, operation, first, second, third):
    """The operations of _doors.py that a replay asks for."""
    if operation == _doors.INSERT:
        return _insert(tree, second, third)
    if operation == _doors.RANGE_QUERY:
        clear(load(tree, PLAN), load(tree, RESULT))
        return _range_query(tree, first, second, load(tree, RESULT))
    if operation == _doors.IS_EMPTY:
        return 1 if _is_empty(tree) else 0
    if operation == _doors.OLDEST:
        return _time_from(tree, load(tree, FIRST))
    if operation == _doors.FIRST_FROM:
        return _time_from(tree, _live_place(tree, first))
    if operation == _doors.YOUNGEST:
        return -_doors.FOREVER if _is_empty(tree) else load(load(tree, TIMES), load(tree, YOUNGEST))
    if operation == _doors.APPEND_RANGE:
        return _range_query(tree, first, second, third)
    if operation == _doors.BULK_EVICT:
        store(tree, FIRST, _live_place(tree, first + 1))
        return _doors.DONE
    return _seldom(tree, operation, first, second, third)


@inner
def _seldom(tree, operation, first, second, third):
    if operation == _doors.COUNT_BETWEEN:
        return _count_between(tree, first, second)
    if operation == _doors.CREATE:
        return _create(first)
    if operation == _doors.COPY_ENTRIES:
        _copy_entries(tree, first, second, third)
    elif operation == _doors.EXPECT:
        _expect(tree, first, second, third)
    elif operation == _doors.RESET:
        _forget(tree)
    elif operation == _doors.DESTROY:
        _destroy(tree)
    return _doors.DONE


door = door_of(ranks_door)
