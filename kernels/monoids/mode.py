"""mode: the value that occurs most often, with the column's type; of several the least. −0.0 and 0.0 are one, 0.0. Null
over no values.

A tournament over the counts: each place has the greater of the two below it, the ranks are at the bottom.

    memory            1: 3
                 2: 2      3: 3
    counts     4: 2  5: 0  6: 3  7: 1      height 4; the mode is the value of rank 2
"""

from kernels.monoid import OrderStatistic
from kernels.monoids._order_code import order_code
from kernels.runtime.memory import inner

MEMORY_WORDS = 2


def add(held, rank):
    place = held.height + rank
    held.memory[place] += 1
    count = held.memory[place]
    place //= 2
    while place >= 1 and held.memory[place] < count:
        held.memory[place] = count
        place //= 2


def remove(held, rank):
    place = held.height + rank
    held.memory[place] -= 1
    place //= 2
    while place >= 1:
        most = max(held.memory[2 * place], held.memory[2 * place + 1])
        if held.memory[place] == most:
            return
        held.memory[place] = most
        place //= 2


@inner
def _most_frequent(held):
    place = 1
    while place < held.height:
        place *= 2
        if held.memory[place] < held.memory[1]:
            place += 1
    return held.values[place - held.height]


def lower(held):
    if held.held == 0:
        return (0, True, False)
    return (_most_frequent(held), False, False)


def lower_float(held):
    if held.held == 0:
        return (0, True, False)
    return (order_code(_most_frequent(held)), False, False)


MONOIDS = (
    OrderStatistic(("int64", "timestamp", "date", "bool", "string"), MEMORY_WORDS, add, remove, lower),
    OrderStatistic(("float64",), MEMORY_WORDS, add, remove, lower_float),
)
