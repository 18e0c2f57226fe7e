"""count_distinct: exactly how many different values there are; −0.0 and 0.0 are the same value. Never null: 0 over no
values."""

from windrow.kernels.monoid import FLOAT, WHOLE, OrderStatistic

MEMORY_WORDS = 1  # how many values have each rank; behind them, how many ranks have a value


def add(held, rank):
    if held.memory[rank] == 0:
        held.memory[held.different] += 1
    held.memory[rank] += 1


def remove(held, rank):
    held.memory[rank] -= 1
    if held.memory[rank] == 0:
        held.memory[held.different] -= 1


def lower(held):
    return (held.memory[held.different], False, False)


MONOIDS = (OrderStatistic((*WHOLE, *FLOAT), MEMORY_WORDS, add, remove, lower, "int64"),)
