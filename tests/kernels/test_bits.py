"""Bits of words: the compiled instruction says what plain Python says."""

import numba
import pytest

from kernels.runtime.bits import trailing_zeros


@numba.njit
def compiled(word):
    return trailing_zeros(word)


@pytest.mark.parametrize("word", [1, 2, 3, 40, 1 << 31, (1 << 62) + (1 << 33), -1, -8, -(1 << 63), ~5])
def test_trailing_zeros_of_a_word(word):
    zeros = trailing_zeros(word)
    assert word % (1 << zeros) == 0 and (word >> zeros) & 1
    assert compiled(word) == zeros
