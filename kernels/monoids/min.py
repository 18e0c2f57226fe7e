"""min: the least value, with the column's type. Null over no values."""

from collections.abc import Callable

from windrow.kernels.monoid import FLOAT, WHOLE, Monoid, unchecked
from windrow.kernels.monoids._order_code import order_code
from windrow.kernels.runtime.fields import LARGEST


def lift(word):
    return (word, 1)


def lower(state):
    return (state[0], state[1] == 0, False)


def lift_float(word):
    return (order_code(word),)


def monoids(picked: Callable, nothing: int) -> tuple[Monoid, ...]:
    """Those of an aggregate that picks one of two values, and of `nothing` and any other the other. Of floats one word
    does, as no code is `nothing`."""

    def identity():
        return (nothing, 0)

    def combine(older, newer):
        return (picked(older[0], newer[0]), older[1] + newer[1])

    def identity_float():
        return (nothing,)

    def combine_float(older, newer):
        return (picked(older[0], newer[0]),)

    def lower_float(state):
        return (order_code(state[0]), state[0] == nothing, False)

    return (
        unchecked(WHOLE, 2, identity, lift, combine, lower, selective=True),
        unchecked(FLOAT, 1, identity_float, lift_float, combine_float, lower_float, selective=True),
    )


MONOIDS = monoids(min, LARGEST)
