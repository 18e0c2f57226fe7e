"""first: the value of the first event whose value isn't null, in order of (time, insertion), with the column's type.
With `nulls=True`, the value of the first event, even if it is null. Null over no values.

State (value, what it is).
"""

from functools import partial

from windrow.kernels.monoid import FLOAT, WHOLE, Parameter, unchecked

VALUE, NULL = 1, 2  # 0: there is none


def identity():
    return (0, 0)


def lift(word, is_there, nulls):
    if is_there:
        return (word, VALUE)
    return (0, NULL) if nulls else (0, 0)


def combine(older, newer):
    return older if older[1] else newer


def lower(state, nulls):
    return (state[0], state[1] != VALUE, False)


PARAMETERS = (Parameter("nulls", False, False, True),)
kept = partial(unchecked, commutative=False, takes_nulls=True, parameters=PARAMETERS, lift_takes_parameters=True)
"""A Monoid that keeps one of two values."""
MONOIDS = (kept((*WHOLE, *FLOAT), 2, identity, lift, combine, lower),)
