"""How many values have each rank, as partial sums (Fenwick 1994): one more, one less and the value of a rank O(log n).

ranks     0  1  2  3  4  5  6  7
counts    2  0  1  0  0  3  1  0
memory   ·2 [2  1  3] 0 [3  1  7]       place p holds the counts of the ranks [p − (p & −p), p)
"""

from windrow.kernels.runtime.memory import inner

MEMORY_WORDS = 1


def add(held, rank):
    place = rank + 1
    while place <= held.different:
        held.memory[place] += 1
        place += place & -place


def remove(held, rank):
    place = rank + 1
    while place <= held.different:
        held.memory[place] -= 1
        place += place & -place


@inner
def count_below(held, rank):
    """How many values have lesser ranks. O(log ranks)."""
    count = 0
    while rank > 0:
        count += held.memory[rank]
        rank &= rank - 1
    return count


@inner
def value_at(held, rank):
    """The value of which so many, from 1 on, are at most as great. O(log ranks)."""
    place, step = 0, held.height
    while step > 0:
        if place + step <= held.different and held.memory[place + step] < rank:
            place += step
            rank -= held.memory[place]
        step //= 2
    return held.values[place]
