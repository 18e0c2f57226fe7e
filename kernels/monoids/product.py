"""product: the product of the values. Of integers it is exact, and the run fails if it is beyond int64. Of floats it is
kept as mantissa and exponent, so that nothing overflows or underflows on the way. If a value is zero, the product is 0;
but zero times infinity has no answer, and the run fails. Null over no values.

Of integers the state is (−|product of the values other than 0|, 0 where that is beyond 2**63; what was seen).
Magnitudes only grow, so what is beyond stays beyond; they are kept negative since −2**63 is an int64 and 2**63 isn't.
"""

import math
from functools import partial

from numba.extending import register_jitable

from windrow.kernels.monoid import FLOAT, FloatWord, unchecked
from windrow.kernels.runtime.fields import SMALLEST
from windrow.kernels.runtime.memory import as_float, as_word

NEGATIVE, SOMETHING, ZERO = 1, 2, 4  # what was seen: an odd number of negative values; a value; a zero
ONE = as_word(1.0)  # as mantissa: no values, since mantissas of values are in [0.5, 1) or 0 or infinite
LEAST, MOST = -1200, 1024  # exponents below give 0, above infinity


@register_jitable
def _magnitude(older, newer):
    """−|older · newer| of two numbers below 0; 0 for what is beyond −2**63."""
    if older == -1 or newer == 0:
        return newer
    if newer == -1 or older == 0:
        return older
    if newer == SMALLEST or older < (SMALLEST - newer - 1) // -newer:
        return 0
    return older * -newer


def identity():
    return (-1, 0)


def lift(word):
    if word == 0:
        return (-1, SOMETHING | ZERO)
    return (word, SOMETHING | NEGATIVE) if word < 0 else (-word, SOMETHING)


def combine(older, newer):
    sign = (older[1] ^ newer[1]) & NEGATIVE
    return (_magnitude(older[0], newer[0]), (older[1] | newer[1]) & (SOMETHING | ZERO) | sign)


def lower(state):
    magnitude, seen = state
    if seen & ZERO or seen == 0:
        return (0, seen == 0, False)
    if seen & NEGATIVE:
        return (magnitude, False, magnitude == 0)
    return (0, False, True) if magnitude == 0 or magnitude == SMALLEST else (-magnitude, False, False)


def identity_float():
    return (ONE, 0)


def lift_float(word):
    mantissa, exponent = math.frexp(as_float(word))
    return (as_word(mantissa), exponent + 0)


def combine_float(older, newer):
    if older[0] == ONE:
        return newer
    if newer[0] == ONE:
        return older
    mantissa, exponent = math.frexp(as_float(older[0]) * as_float(newer[0]))
    return (as_word(mantissa), older[1] + newer[1] + exponent)


def lower_float(state):
    mantissa, exponent = as_float(state[0]), state[1]
    product = (
        mantissa * math.inf
        if exponent > MOST and mantissa != 0.0
        else math.ldexp(mantissa, max(min(exponent, MOST), LEAST))
    )
    return (as_word(product), state[0] == ONE, product != product)


FAILURE = "multiplies zero by infinity, which has no answer; filter one of them out"
of_floats = partial(unchecked, failure=FAILURE, floats=(FloatWord(0, exponent=1),))
MONOIDS = (
    unchecked(("int64", "bool"), 2, identity, lift, combine, lower, "int64"),
    of_floats(FLOAT, 2, identity_float, lift_float, combine_float, lower_float, "float64"),
)
