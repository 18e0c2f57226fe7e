"""sum: of integers exact, and an overflow where the result is beyond int64; of floats in float64. Null over
no values."""

from kernels.memory import as_float, as_word
from kernels.monoid import Monoid
from kernels.monoids import _exact_sum
from kernels.monoids._exact_sum import HALF


def lower_integer(state):
    high, low, values = state
    if high < -HALF or high >= HALF:
        return (0, False, True)
    return (high * 2 * HALF + low, values == 0, False)


def identity():
    return (0, 0)


def lift(word):
    return (word, 1)


def combine(older, newer):
    return (as_word(as_float(older[0]) + as_float(newer[0])), older[1] + newer[1])


def lower(state):
    return (state[0], state[1] == 0, False)


MONOIDS = (
    Monoid(
        ("int64", "bool"), 3, _exact_sum.identity, _exact_sum.lift, _exact_sum.combine, lower_integer, "int64"
    ),
    Monoid(("float64",), 2, identity, lift, combine, lower, "float64"),
)
