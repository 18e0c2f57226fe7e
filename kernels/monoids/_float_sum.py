"""Sums of float64 values in one word: −0.0 is the sum of no values.

−0.0 + x is x for every x, so it is an exact identity; and no sum of values is −0.0, since a value of −0.0 is lifted
to 0.0 and a sum that cancels is 0.0. No word is needed to count the values.
"""

from kernels.memory import as_float, as_word

NONE = -(1 << 63)  # the bits of −0.0
NO_SUM = "adds infinities of both signs, or goes beyond float64 (±1.8e308) on the way; filter or scale the column"


def identity():
    return (NONE,)


def lift(word):
    return (as_word(as_float(word) + 0.0),)


def combine(older, newer):
    return (as_word(as_float(older[0]) + as_float(newer[0])),)
