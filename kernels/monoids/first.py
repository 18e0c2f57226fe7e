"""first: the value of the first event whose value isn't null, in order of (time, insertion), with the column's type;
with `nulls=True` that of the first event, even if it is null. Null over no values.

State (value, what it is), or the value alone where two words are free to say that there is none, or a null.
"""

from functools import partial

from kernels.monoid import Monoid, Parameter, unchecked

VALUE, NULL = 1, 2  # 0: there is none
SHORT_NONE, SHORT_NULL = -1, -2  # as a float's bits NaNs


def identity():
    return (0, 0)


def lift(word, is_there, nulls):
    if is_there:
        return (word, VALUE)
    return (0, NULL) if nulls else (0, 0)


def lower(state, nulls):
    return (state[0], state[1] != VALUE, False)


def identity_short():
    return (SHORT_NONE,)


def lift_short(word, is_there, nulls):
    if is_there:
        return (word,)
    return (SHORT_NULL,) if nulls else (SHORT_NONE,)


def lower_short(state, nulls):
    return (state[0], state[0] == SHORT_NONE or state[0] == SHORT_NULL, False)


PARAMETERS = (Parameter("nulls", False, False, True),)
LONG_TYPES, SHORT_TYPES = ("int64", "timestamp", "date", "string"), ("float64", "bool")


def combine(older, newer):
    return older if older[1] else newer


def combine_short(older, newer):
    return newer if older[0] == SHORT_NONE else older


def monoids(combine, combine_short) -> tuple[Monoid, ...]:
    """Those of an aggregate that keeps one of two values."""
    kept = partial(unchecked, commutative=False, takes_nulls=True, parameters=PARAMETERS, lift_takes_parameters=True)
    return (
        kept(LONG_TYPES, 2, identity, lift, combine, lower),
        kept(SHORT_TYPES, 1, identity_short, lift_short, combine_short, lower_short),
    )


MONOIDS = monoids(combine, combine_short)
