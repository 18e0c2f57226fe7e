"""One value kept as it stands: state (value, whether there is one), or the value alone where a word is free to say
that there is none."""

from kernels.monoid import Monoid

NONE = -1  # as a float's bits a NaN


def identity():
    return (0, 0)


def lift(word):
    return (word, 1)


def lower(state):
    return (state[0], state[1] == 0, False)


def identity_short():
    return (NONE,)


def lift_short(word):
    return (word,)


def lower_short(state):
    return (state[0], state[0] == NONE, False)


def monoids(combine, combine_short) -> tuple[Monoid, ...]:
    """Those of an aggregate that keeps one of two values."""
    return (
        Monoid(
            ("int64", "timestamp", "date", "string"),
            2,
            identity,
            lift,
            combine,
            lower,
            commutative=False,
            checked=False,
        ),
        Monoid(
            ("float64", "bool"),
            1,
            identity_short,
            lift_short,
            combine_short,
            lower_short,
            commutative=False,
            checked=False,
        ),
    )
