"""Bits of words, by the processor's own instructions."""

from llvmlite import ir
from numba import types
from numba.extending import overload

from kernels.runtime.memory import make_intrinsic


def trailing_zeros(word: int) -> int:
    """How many bits below the lowest that is set; the word has one."""
    return (word & -word).bit_length() - 1


def _count_trailing_zeros(context, builder, signature, arguments):
    return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))


_trailing_zeros = make_intrinsic(types.int64(types.int64), _count_trailing_zeros)


@overload(trailing_zeros)
def _compiled_trailing_zeros(word):
    return lambda word: _trailing_zeros(word)
