"""The state of a KLL sketch (Karnin, Lang and Liberty, "Optimal quantile approximation in streams", 2016): levels of
values, those of level h standing for 2**h values each.

    [values counted | coin | levels | values held | room][size of each level][values: highest level … level 0]

Nothing is given up before the room is full; then of the lowest level that is full every second value in order moves a
level up, and the others go. A level has room for k values if it is the highest, for two thirds of that one below, and
so on, at least 4.
"""

from numba.extending import register_jitable

from kernels.memory import inner, load, not_inlined, release, resize, store
from kernels.monoids._hash import LOW, mixed

COUNT, COIN, LEVELS, HELD, ROOM, SIZES = range(6)
MOST_LEVELS = 32  # enough for 2**32 · k values
ITEMS = SIZES + MOST_LEVELS
LEAST_ROOM = 4


@register_jitable
def room_of_level(k, below):
    """Room of the level that is so many below the highest."""
    for _ in range(below):
        k = (2 * k + 2) // 3
    return max(k, LEAST_ROOM)


@register_jitable
def room_of(k):
    """Room of all levels together."""
    room = 0
    for below in range(MOST_LEVELS):
        room += room_of_level(k, below)
    return room


@inner
def reset(at, k):
    """No values."""
    not_inlined()
    for place in range(ITEMS):
        store(at, place, 0)
    store(at, LEVELS, 1)
    store(at, ROOM, room_of(k))


@inner
def insert(at, value, k):
    """One value more."""
    not_inlined()
    if load(at, HELD) == load(at, ROOM):
        compact(at, k)
    held = load(at, HELD)
    store(at, ITEMS + held, value)
    store(at, HELD, held + 1)
    store(at, SIZES, load(at, SIZES) + 1)
    store(at, COUNT, load(at, COUNT) + 1)
    store(at, COIN, mixed(load(at, COIN) ^ (value & LOW)))


@inner
def merge(into, other, k):
    """Take up all values of another sketch."""
    not_inlined()
    held = load(into, HELD) + load(other, HELD)
    both = resize(0, ITEMS + held)
    _lay_together(both, into, other)
    store(both, ROOM, load(into, ROOM))
    while load(both, HELD) > load(both, ROOM):
        compact(both, k)
    _copy(into, 0, both, 0, ITEMS + load(both, HELD))
    release(both)


@inner
def _lay_together(both, first, second):
    """Each level of the one with that of the other."""
    place, from_first, from_second = ITEMS, ITEMS, ITEMS
    for level in range(MOST_LEVELS - 1, -1, -1):
        firsts, seconds = load(first, SIZES + level), load(second, SIZES + level)
        _copy(both, place, first, from_first, firsts)
        _copy(both, place + firsts, second, from_second, seconds)
        from_first += firsts
        from_second += seconds
        place += firsts + seconds
        store(both, SIZES + level, firsts + seconds)
    store(both, COUNT, load(first, COUNT) + load(second, COUNT))
    store(both, COIN, mixed((load(first, COIN) + 3 * load(second, COIN)) & LOW))
    store(both, LEVELS, max(load(first, LEVELS), load(second, LEVELS)))
    store(both, HELD, place - ITEMS)


@inner
def _copy(target, at, source, start, words):
    for word in range(words):
        store(target, at + word, load(source, start + word))


@inner
def compact(at, k):
    """Halve the lowest level that is full."""
    not_inlined()
    levels = load(at, LEVELS)
    level, end = 0, ITEMS + load(at, HELD)
    while level < levels - 1 and load(at, SIZES + level) < room_of_level(k, levels - 1 - level):
        end -= load(at, SIZES + level)
        level += 1
    size = load(at, SIZES + level)
    _halve(at, end - size, size)
    kept = size // 2
    _copy(at, end - kept, at, end, ITEMS + load(at, HELD) - end)
    store(at, SIZES + level, size - 2 * kept)
    store(at, SIZES + level + 1, load(at, SIZES + level + 1) + kept)
    store(at, HELD, load(at, HELD) - kept)
    store(at, LEVELS, max(levels, level + 2))


@inner
def _halve(at, start, size):
    """Keep of each pair of neighbours in order the one that the coin says, and the last value if it has no neighbour.
    """
    _sort(at, start, size)
    coin = mixed((load(at, COIN) + 1) & LOW)
    store(at, COIN, coin)
    for pair in range(size // 2):
        store(at, start + pair, load(at, start + 2 * pair + (coin & 1)))
    if size & 1:
        store(at, start + size // 2, load(at, start + size - 1))


@inner
def _sort(at, start, size):
    """Shell's sort: short, in place, and quick for some hundred values."""
    gap = size // 2
    while gap > 0:
        for place in range(start + gap, start + size):
            value, free = load(at, place), place
            while free - gap >= start and load(at, free - gap) > value:
                store(at, free, load(at, free - gap))
                free -= gap
            store(at, free, value)
        gap = 1 if gap == 2 else gap * 5 // 11


@inner
def weight_up_to(at, value):
    """How many of the values counted are ≤ a value, as far as is known."""
    weight, place = 0, ITEMS
    for level in range(load(at, LEVELS) - 1, -1, -1):
        end, below = place + load(at, SIZES + level), 0
        while place < end:
            below += 1 if load(at, place) <= value else 0
            place += 1
        weight += below << level
    return weight


@inner
def value_at(at, rank):
    """The least value with that many values ≤ it: bisection over int64, since nothing is sorted here."""
    not_inlined()
    low, high = -(1 << 63), (1 << 63) - 1
    while low < high:
        middle = (low >> 1) + (high >> 1) + (low & high & 1)
        if weight_up_to(at, middle) >= rank:
            high = middle
        else:
            low = middle + 1
    return low
