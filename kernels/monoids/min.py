"""min: the least value, with the column's type. Null over no values."""

from kernels.monoid import FLOAT, WHOLE, unchecked
from kernels.monoids._order_code import order_code

LARGEST = (1 << 63) - 1


def identity():
    return (LARGEST, 0)


def lift(word):
    return (word, 1)


def combine(older, newer):
    return (min(older[0], newer[0]), older[1] + newer[1])


def lower(state):
    return (state[0], state[1] == 0, False)


# A float's order code is never LARGEST: those are the bits of a NaN. One word then does.
def identity_float():
    return (LARGEST,)


def lift_float(word):
    return (order_code(word),)


def combine_float(older, newer):
    return (min(older[0], newer[0]),)


def lower_float(state):
    return (order_code(state[0]), state[0] == LARGEST, False)


MONOIDS = (
    unchecked(WHOLE, 2, identity, lift, combine, lower, selective=True),
    unchecked(FLOAT, 1, identity_float, lift_float, combine_float, lower_float, selective=True),
)
