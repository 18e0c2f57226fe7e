"""Hashes of 64-bit words as two 32-bit halves, in arithmetic that never leaves int64: the same compiled and in plain
Python."""

from numba.extending import register_jitable

LOW = (1 << 32) - 1
# Multipliers of "lowbias32" (Wellons, hash-prospector), the second as a negative number: products stay within int64.
FIRST, SECOND = 0x7FEB352D, 0x846CA68B - (1 << 32)
ROUND = 0x3C6EF372


@register_jitable
def mixed(number):
    """A scrambled 32-bit number of a 32-bit number."""
    number = ((number ^ (number >> 16)) * FIRST) & LOW
    number = ((number ^ (number >> 15)) * SECOND) & LOW
    return number ^ (number >> 16)


@register_jitable
def hashed(word):
    """Two 32-bit numbers. A Feistel network is a permutation, so that different words never have the same hash."""
    left, right = (word >> 32) & LOW, word & LOW
    for turn in range(4):
        left, right = right, left ^ mixed((right + turn * ROUND) & LOW)
    return left, right
