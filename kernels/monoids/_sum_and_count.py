"""A float64 sum (_float_sum.py) and how many values are in it: state (sum, values)."""

from kernels.monoid import FloatWord
from kernels.monoids._float_sum import added

FLOATS = (FloatWord(0),)


def identity():
    return (0, 0)


def lift(word):
    return (word, 1)


def combine(older, newer):
    return (added(older[0], newer[0]), older[1] + newer[1])
