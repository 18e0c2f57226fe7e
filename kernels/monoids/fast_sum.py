"""fast_sum: the sum of floats, added in float64 one after the other. Its last digits depend on the order of additions.
It needs one word, and is faster than `sum`. Infinite only if a value or the sum itself is. Null over no values.

Nothing overflows on the way: no grouping of events, by a kernel or a window, makes an infinity.

    1e308 + 1e308 − 1e308 = 1e308       (1e308 + 1e308) is kept, not infinite
    1e308 + 1e308         = infinity    the sum itself is beyond float64
    infinity + 1          = infinity    infinity − infinity fails

A word is a float's bits; −0.0 is the sum of no values. −0.0 + x is x for every x, so it is an exact identity; and no
sum of values is −0.0, since a value of −0.0 is lifted to 0.0 and a sum that cancels is 0.0. A sum beyond float64, of
up to 2**31 values, is a NaN whose payload is the sum times 2**−64, with 45 of the 52 bits: 13 digits.
"""

import math
import sys

from numba import njit
from numba.extending import register_jitable

from windrow.kernels.monoid import FLOAT, FloatWord, unchecked
from windrow.kernels.runtime.memory import as_float, as_word, not_inlined

NONE = -(1 << 63)  # the bits of −0.0
NO_SUM = "adds infinities of both signs, which has no answer; filter one of them out"
SIGN, MAGNITUDE = -(1 << 63), (1 << 63) - 1
NAN = 0x7FF8 << 48  # the bits of one without payload: infinity − infinity
SCALE, BACK = 2.0**-64, 2.0**64
LEAST, MOST = 2.0**960, 2.0**992  # of sums times 2**−64: below, the sum itself is a float
LEAST_BITS = as_word(LEAST)
DROPPED = 7
LARGEST = sys.float_info.max


def identity():
    return (NONE,)


def lift(word):
    return (as_word(as_float(word) + 0.0),)


def combine(older, newer):
    return (added(older[0], newer[0]),)


@register_jitable
def added(older, newer):
    """The sum of two sums. It stays a float all along: going through words would cost each addition 2 ns in a loop.

    The comparison also finds a NaN. `total - total != 0.0` finds the same by two jumps: two-stacks in bursts of 1,024
    were a tenth slower.
    """
    one, other = as_float(older), as_float(newer)
    total = one + other
    if not abs(total) <= LARGEST:
        total = _added_beyond(one, other)
    return as_word(total)


@njit(error_model="numpy")  # not `inner`: what is called from plain Python too needs a wrapper
def _added_beyond(one, other):
    """Where a float isn't finite, or would not be."""
    not_inlined()
    total = _scaled(as_word(one)) + _scaled(as_word(other))
    if total - total != 0.0:
        return total if total == total else as_float(NAN)
    if abs(total) < LEAST:
        return total * BACK
    if abs(total) >= MOST:
        return math.copysign(math.inf, total)
    word = NAN + 1 + ((as_word(abs(total)) - LEAST_BITS) >> DROPPED)
    return as_float(word if total > 0.0 else word | SIGN)


@register_jitable
def _scaled(word):
    """A sum times 2**−64."""
    magnitude = word & MAGNITUDE
    if magnitude <= NAN:
        return as_float(word) * SCALE
    scaled = as_float(((magnitude - NAN - 1) << DROPPED) + LEAST_BITS)
    return scaled if word > 0 else -scaled


@register_jitable
def total(word):
    """The sum as a float; NaN if it has no answer."""
    return _scaled(word) * BACK if word & MAGNITUDE > NAN else as_float(word)


def lower(state):
    found = total(state[0])
    return (as_word(found), state[0] == NONE, found != found)


FLOATS = (FloatWord(0),)
MONOIDS = (unchecked(FLOAT, 1, identity, lift, combine, lower, "float64", failure=NO_SUM, floats=FLOATS),)
