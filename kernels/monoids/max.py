"""max: the greatest value, with the column's type. Null over no values."""

from kernels.monoid import Monoid
from kernels.monoids._order_code import order_code

SMALLEST = -(1 << 63)


def identity():
    return (SMALLEST, 0)


def lift(word):
    return (word, 1)


def lift_float(word):
    return (order_code(word), 1)


def combine(older, newer):
    return (max(older[0], newer[0]), older[1] + newer[1])


def lower(state):
    return (state[0], state[1] == 0, False)


def lower_float(state):
    return (order_code(state[0]), state[1] == 0, False)


MONOIDS = (
    Monoid(("int64", "timestamp", "date", "bool"), 2, identity, lift, combine, lower),
    Monoid(("float64",), 2, identity, lift_float, combine, lower_float),
)
