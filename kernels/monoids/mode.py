"""mode: the value that occurs most often, with the column's type; of several the least. −0.0 and 0.0 are one, 0.0. Null
over no values."""

from kernels.monoid import FLOAT, WHOLE, OrderStatistic
from kernels.monoids._order_code import order_code
from kernels.monoids._tournament import MEMORY_WORDS, add, remove, winner


def lower(held):
    if held.held == 0:
        return (0, True, False)
    return (held.values[winner(held) - held.height], False, False)


def lower_float(held):
    if held.held == 0:
        return (0, True, False)
    return (order_code(held.values[winner(held) - held.height]), False, False)


MONOIDS = (
    OrderStatistic(WHOLE, MEMORY_WORDS, add, remove, lower),
    OrderStatistic(FLOAT, MEMORY_WORDS, add, remove, lower_float),
)
