"""Sums of float64 values that no order and no grouping changes: each value is cut at the same places of one grid, and
what is added are the whole numbers in between (binned sums: Demmel and Nguyen 2015, Ahrens, Demmel and Nguyen 2020).
State (top, and four bins from there down).

    bin k holds the bits of 2**(32k − 1074) to 2**(32k − 1043); a value's 53 bits lie in two bins or in three

    x            34:│ 12 │ 33:│ 7  │ 32:│ 0  │ 31:│ 0  │
    y            35:│ 1  │ 34:│ 5  │ 33:│ 2  │ 32:│ 0  │
    x + y        35:│ 1  │ 34:│ 17 │ 33:│ 9  │ 32:│ 0  │     31 is dropped: above it is a bin 35

A sum's bins are those of its greatest value's top, and hold what all values have there: a value that came when the top
was lower had these bins too. A bin is a sum of up to 2**31 pieces of 32 bits, so nothing is carried on the way. Sums
are exact where values differ by less than 2**44 (by up to 2**75, as the grid happens to lie); of others each value
loses at most 2**−96 of the greatest. The answer is the nearest double.
"""

import math

from numba import njit
from numba.extending import register_jitable

from windrow.kernels.monoid import Monoid, unchecked
from windrow.kernels.runtime.memory import as_float, not_inlined

WORDS = 5
NONE = -1  # as top: of no values
BEYOND = 1 << 20  # as top: bins count +∞, −∞ and NaN
NO_SUM = "adds infinities of both signs, which has no answer; filter one of them out"
BITS, LOW = 32, (1 << 32) - 1
FRACTION, EXPONENT, LEAST_POWER = 52, 0x7FF, -1074
IMPLIED = 1 << FRACTION
IN_TWO_BINS = 2 * BITS - FRACTION - 1  # places in the lowest bin from which two are enough
SCALE = 64  # of a mean whose sum is beyond float64


def identity():
    return (NONE, 0, 0, 0, 0)


@register_jitable
def lift(word):
    exponent, fraction = (word >> FRACTION) & EXPONENT, word & (IMPLIED - 1)
    if exponent == EXPONENT:
        return (BEYOND, int(fraction == 0 and word > 0), int(fraction == 0 and word < 0), int(fraction != 0), 0)
    place = 0
    if exponent:
        place, fraction = exponent - 1, fraction | IMPLIED
    shift, sign = place & (BITS - 1), 1 - 2 * int(word < 0)
    above = fraction >> (BITS - shift)
    low, middle, high = sign * (fraction << shift & LOW), sign * (above & LOW), sign * (above >> BITS)
    top = (place + FRACTION) // BITS
    if shift <= IN_TWO_BINS:
        return (top, middle, low, 0, 0)
    return (top, high, middle, low, 0)


@register_jitable
def combine(older, newer):
    if older[0] < newer[0]:
        older, newer = newer, older
    top, first, second, third, fourth = older
    apart = top - newer[0]
    if apart == 0:
        return (top, first + newer[1], second + newer[2], third + newer[3], fourth + newer[4])
    if apart == 1:
        return (top, first, second + newer[1], third + newer[2], fourth + newer[3])
    if apart == 2:
        return (top, first, second, third + newer[1], fourth + newer[2])
    if apart == 3:
        return (top, first, second, third, fourth + newer[1])
    return older


@njit(error_model="numpy")  # not `inner`: what is called from plain Python too needs a wrapper
def mean_of(state, values):
    """The double next to a sum by a number of values, of two the even one; NaN if the sum has no answer."""
    not_inlined()
    return _nearest(state, values, 0) if state[0] != BEYOND else _without_numbers(state)


@njit(error_model="numpy")
def mean_by_weights(state, weights):
    """A sum by a sum of weights, neither of which need be a double; each of them is rounded."""
    not_inlined()
    if state[0] == BEYOND:
        return _without_numbers(state)
    total, weight = _nearest(state, 1, 0), _nearest(weights, 1, 0)
    return total / weight if math.isfinite(total) else _nearest(state, 1, SCALE) / weight * 2.0**SCALE


@njit(error_model="numpy")
def _without_numbers(state):
    _, ups, downs, nans, _ = state
    if nans or (ups and downs):
        return math.nan
    return math.inf if ups else -math.inf


@njit(error_model="numpy")
def _nearest(state, values, down):
    """Of a sum by a number of values times 2**−down; infinity beyond all doubles."""
    top, first, second, third, fourth = state
    digits, sign = _digits(first, second, third, fourth), 1.0
    if digits[0] < 0:
        digits, sign = _digits(-first, -second, -third, -fourth), -1.0
    found, rest = _divided(digits, values)
    place = BITS * (top + 1)
    while found[0] == 0 and place > BITS * (top - 5):
        found, place = found[1:] + (0,), place - BITS
    spare = BITS
    while found[0] >> (BITS - spare):
        spare -= 1
    # The 62 highest bits, the last of them set where there is one below: the double next to these is next to all.
    high = found[0] << spare | found[1] >> (BITS - spare)
    middle = found[1] << spare & LOW | found[2] >> (BITS - spare)
    less = middle & 3 | found[2] << spare & LOW | found[3] | found[4] | found[5] | found[6] | rest
    power = place - spare - 30 + LEAST_POWER - down
    bits, beyond = high << 30 | middle >> 2 | int(less != 0), LEAST_POWER - power
    if beyond > 62 - FRACTION - 1:  # a double so small has fewer bits: rounded to these here, and not twice
        bits, power = _without_lowest(bits, min(beyond, 63)), LEAST_POWER
    return sign * float(bits) * _power_of_two(power >> 1) * _power_of_two(power - (power >> 1))


@njit(error_model="numpy")
def _without_lowest(bits, places):
    """Rounded to the nearest, of two the even one."""
    found = bits >> places
    rest, half = bits - (found << places), 1 << (places - 1)
    return found + int(rest > half or (rest == half and found & 1 == 1))


@njit(error_model="numpy")
def _divided(digits, values):
    """Seven digits, two of them behind those of the sum, and what is left."""
    found, rest = (0, 0, 0, 0, 0, 0, 0), 0
    for digit in digits + (0, 0):
        rest = rest << BITS | digit
        found = found[1:] + (rest // values,)
        rest %= values
    return found, rest


@njit(error_model="numpy")
def _digits(first, second, third, fourth):
    """Five of 32 bits, what is above carried from one to the next; the first has the sign."""
    third += fourth >> BITS
    second += third >> BITS
    first += second >> BITS
    return (first >> BITS, first & LOW, second & LOW, third & LOW, fourth & LOW)


@njit(error_model="numpy")
def _power_of_two(power):
    return as_float((power + 1023) << FRACTION)


def of_values(column_types, lift, lower, **others) -> Monoid:
    """The monoid of an aggregate whose result follows from such a sum."""
    return unchecked(column_types, WORDS, identity, lift, combine, lower, "float64", failure=NO_SUM, **others)
