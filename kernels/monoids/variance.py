"""variance: the sum of squared distances from the mean, divided by (number of values − ddof). By default of a sample
(ddof 1); with ddof 0 of all values. Null over ddof values or fewer.

Mean and squared distances from it, merged without cancellation (Chan, Golub and LeVeque 1983; of one value at a time
Welford's): state (mean, sum of squared distances, values).
"""

import math
from functools import partial

from numba.extending import register_jitable

from windrow.kernels.monoid import FloatWord, Monoid, Parameter, unchecked
from windrow.kernels.monoids._order_code import coded, float_bits
from windrow.kernels.runtime.memory import as_float, as_word

DDOF = Parameter("ddof", 1, 0, 1)
FLOATS = (FloatWord(0, mean_of=2), FloatWord(1, power=2))
FAILURE = "needs squares beyond float64 (1.8e308), or holds an infinity; scale the column down, or filter it"


def identity():
    return (0, 0, 0)


def lift(word):
    return (word, 0, 1)


def combine(older, newer):
    if older[2] == 0:
        return newer
    if newer[2] == 0:
        return older
    values = older[2] + newer[2]
    share = float(newer[2]) / float(values)
    apart = as_float(newer[0]) - as_float(older[0])
    squares = as_float(older[1]) + as_float(newer[1]) + apart * apart * (float(older[2]) * share)
    return (as_word(as_float(older[0]) + apart * share), as_word(squares), values)


@register_jitable
def variance_of(state, ddof):
    """(variance, whether it is null, whether it failed)."""
    if state[2] <= ddof:
        return (0.0, True, False)
    found = as_float(state[1]) / float(state[2] - ddof)
    return (found, False, not math.isfinite(found))


def lower(state, ddof):
    found, is_null, failed = variance_of(state, ddof)
    return (as_word(found), is_null, failed)


def monoids(lower) -> tuple[Monoid, ...]:
    """Those of an aggregate whose result follows from this state."""
    of_moments = partial(unchecked, parameters=(DDOF,), failure=FAILURE, floats=FLOATS)
    return (
        of_moments(("int64", "bool"), 3, identity, coded(lift, float_bits), combine, lower, "float64"),
        of_moments(("float64",), 3, identity, lift, combine, lower, "float64"),
    )


MONOIDS = monoids(lower)
