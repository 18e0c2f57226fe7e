"""min_count: how many values equal the least value. Null over no values.

State (code, how often). The greatest value has the least complement, ~value, which can't overflow as −value can.
"""

from windrow.kernels.monoid import FLOAT, WHOLE, Monoid, unchecked
from windrow.kernels.monoids._order_code import coded
from windrow.kernels.runtime.fields import LARGEST


def identity():
    return (LARGEST, 0)


def combine(older, newer):
    if older[0] == newer[0]:
        return (older[0], older[1] + newer[1])
    return older if older[0] < newer[0] else newer


def lower(state):
    return (state[1], state[1] == 0, False)


def lift(word):
    return (word, 1)


def monoids(lift) -> tuple[Monoid, ...]:
    """One for integers, one for floats."""
    return (
        unchecked(WHOLE, 2, identity, lift, combine, lower, "int64"),
        unchecked(FLOAT, 2, identity, coded(lift), combine, lower, "int64"),
    )


MONOIDS = monoids(lift)
