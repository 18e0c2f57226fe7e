"""mode: the value that occurs most often, with the column's type; if several occur as often, the least of them. −0.0
and 0.0 are the same value, 0.0. Null over no values.

Each place has the greater count of the two below it, the ranks are at the bottom:

    memory            1: 3
                 2: 2      3: 3
    counts     4: 2  5: 0  6: 3  7: 1      height 4; the winner is at place 6, that of rank 2
"""

from windrow.kernels.monoid import FLOAT, WHOLE, OrderStatistic
from windrow.kernels.monoids._order_code import decoded
from windrow.kernels.runtime.memory import inner

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
    play_again(held, place)


@inner
def play_again(held, place):
    """The games above a place whose count has changed. O(log values)."""
    place //= 2
    while place >= 1:
        most = max(held.memory[2 * place], held.memory[2 * place + 1])
        if held.memory[place] == most:
            return
        held.memory[place] = most
        place //= 2


@inner
def winner(held):
    """The place of the greatest count, of several the first. O(log values)."""
    place = 1
    while place < held.height:
        place *= 2
        if held.memory[place] < held.memory[1]:
            place += 1
    return place


def lower(held):
    if held.held == 0:
        return (0, True, False)
    return (held.values[winner(held) - held.height], False, False)


MONOIDS = (
    OrderStatistic(WHOLE, MEMORY_WORDS, add, remove, lower),
    OrderStatistic(FLOAT, MEMORY_WORDS, add, remove, decoded(lower)),
)
