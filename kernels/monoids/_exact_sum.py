"""Exact sums of int64 values: state (high, low, values), the sum being high · 2**32 + low with 0 ≤ low <
2**32.

Two words hold any sum of up to 2**31 values, so nothing overflows on the way and the answer doesn't depend on the
shape of the tree. Splitting at bit 32 instead of 64 costs nothing here and needs no unsigned or wrapping arithmetic.
"""

LOW = (1 << 32) - 1
HALF = 1 << 31


def identity():
    return (0, 0, 0)


def lift(word):
    return (word >> 32, word & LOW, 1)


def combine(older, newer):
    low = older[1] + newer[1]
    return (older[0] + newer[0] + (low >> 32), low & LOW, older[2] + newer[2])


def inverse(total, oldest):
    low = total[1] - oldest[1]
    return (total[0] - oldest[0] + (low >> 32), low & LOW, total[2] - oldest[2])


PARTS = (3, identity, lift, combine)
