"""any: whether at least one value is true; a number counts as true unless it is zero. Null over no values.

State (true values, values). Counting makes it exact to take values away again.
"""

from windrow.kernels.monoid import FLOAT, Monoid, unchecked
from windrow.kernels.monoids._order_code import coded, value_bits


def identity():
    return (0, 0)


def lift(word):
    return (1 if word != 0 else 0, 1)


def combine(older, newer):
    return (older[0] + newer[0], older[1] + newer[1])


def inverse(total, oldest):
    return (total[0] - oldest[0], total[1] - oldest[1])


def lower(state):
    return (1 if state[0] > 0 else 0, state[1] == 0, False)


def monoids(lower) -> tuple[Monoid, ...]:
    """Those of an aggregate whose result follows from these counts."""
    return (
        unchecked(("bool", "int64"), 2, identity, lift, combine, lower, "bool", inverse=inverse),
        unchecked(FLOAT, 2, identity, coded(lift, value_bits), combine, lower, "bool", inverse=inverse),
    )


MONOIDS = monoids(lower)
