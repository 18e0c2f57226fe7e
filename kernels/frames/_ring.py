"""A circular array of tuples (FRAMES, "Single Buffer", fig. 1): places go on rising, and a place's cell is its
remainder.

    cells     8 │ 9 │ · │ 3 │ 4 │ 5 │ 6 │ 7        capacity 8: tuples 3 to 9 are kept, the next goes into the free cell
                  end ▲   ▲ first

The functions are those of _ordered.py, for (place, 0) instead of (chunk, at): _buffers.py takes either module.
"""

from kernels.frames._ordered import ENTRY_WORDS, OrderedEntry, is_behind
from kernels.runtime.bisection import searches
from kernels.runtime.fields import Count, Inline, Place, Pointer, Word
from kernels.runtime.memory import inner, resize
from kernels.runtime.struct import Struct


class Ring(Struct):
    """Tuples first … end − 1; mask: cells − 1, a power of two; no more than `capacity` are kept."""

    first: Place
    end: Place
    capacity: Count
    mask: Word
    entries: Pointer(Inline(OrderedEntry))


@inner
def start_ring(ring, capacity):
    """Of a structure whose memory is all zero."""
    cells = 1
    while cells < capacity:
        cells *= 2
    ring.capacity, ring.mask = capacity, cells - 1
    ring.entries = resize(0, cells * ENTRY_WORDS)


@inner
def entry_at(ring, place, at):
    return ring.entries[place & ring.mask]


@inner
def _stands_until(ring, place, key):
    return not is_behind(entry_at(ring, place, 0), key[0], key[1])


_tuple_behind = searches("tuples_of_a_ring", _stands_until).place_from


@inner
def place_behind(ring, time, row):
    """By binary search."""
    return _tuple_behind(ring, ring.first, ring.end, (time, row)), 0


@inner
def standing(ring, place, at):
    return place + at, 0


@inner
def holds(ring, place, at, time, row):
    if place < ring.first or place >= ring.end:
        return False
    entry = entry_at(ring, place, 0)
    return entry.time == time and entry.row == row


@inner
def count_of(ring):
    return ring.end - ring.first


@inner
def room_of(ring):
    """How many tuples can come before some go."""
    return ring.capacity - count_of(ring)


@inner
def _write(entry, time, row, word):
    entry.time, entry.row, entry.word = time, row, word


@inner
def append_entry(ring, time, row, word):
    """Behind all tuples, whatever its time."""
    _write(entry_at(ring, ring.end, 0), time, row, word)
    ring.end += 1


@inner
def insert_in_order(ring, time, row, word):
    """Eager sort (fig. 2b): all that is behind moves up by one cell."""
    place = ring.end
    while place > ring.first and is_behind(entry_at(ring, place - 1, 0), time, row):
        before = entry_at(ring, place - 1, 0)
        _write(entry_at(ring, place, 0), before.time, before.row, before.word)
        place -= 1
    _write(entry_at(ring, place, 0), time, row, word)
    ring.end += 1


@inner
def heap_sort(ring):
    """Lazy sort: O(n log n) in place, however many came since."""
    count = count_of(ring)
    for root in range(count // 2 - 1, -1, -1):
        _sift_down(ring, root, count)
    for end in range(count - 1, 0, -1):
        _swap(ring, 0, end)
        _sift_down(ring, 0, end)


@inner
def _sift_down(ring, root, end):
    while 2 * root + 1 < end:
        child = 2 * root + 1
        if child + 1 < end and _is_before(ring, child, child + 1):
            child += 1
        if not _is_before(ring, root, child):
            return
        _swap(ring, root, child)
        root = child


@inner
def _is_before(ring, one, other):
    entry = entry_at(ring, ring.first + one, 0)
    return is_behind(entry_at(ring, ring.first + other, 0), entry.time, entry.row)


@inner
def _swap(ring, one, other):
    entry, with_entry = entry_at(ring, ring.first + one, 0), entry_at(ring, ring.first + other, 0)
    time, row, word = entry.time, entry.row, entry.word
    _write(entry, with_entry.time, with_entry.row, with_entry.word)
    _write(with_entry, time, row, word)
