"""approx_distinct: about how many different values there are. The standard error is 1.04 / sqrt(2**precision), 3.3 % by
default (HyperLogLog, Flajolet et al. 2007). Never null: 0 over no values.

2**precision registers of 6 bits, nine to a word, each with a bit between them that is 0: all nine are compared at once,
and no word is negative. The answer is Ertl's ("New cardinality estimation algorithms for HyperLogLog sketches", 2017,
eq. 18), which needs no other formula for few values.
"""

import math

from windrow.kernels.monoid import FLOAT, WHOLE, Parameter, Sketch
from windrow.kernels.monoids._order_code import coded, value_bits
from windrow.kernels.runtime.fields import Integer
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.mixing import hashed
from windrow.kernels.runtime.struct import Struct, clear_words, words_at

A_WORD, WIDTH, LARGEST_RANK = 9, 7, 63  # registers in a word, bits of each with its guard, what one holds
GUARDS = sum(64 << (WIDTH * register) for register in range(A_WORD))


class Size(Struct):
    """The parameters in memory."""

    precision: Integer("bits that choose a register")


def words(parameters):
    return -(-(1 << parameters[0]) // A_WORD)


@inner
def _words(parameters):
    return ((1 << Size(parameters).precision) + A_WORD - 1) // A_WORD


def clear(at, parameters):
    clear_words(at, _words(parameters))


@inner
def _rank(rest, bits):
    """Place of the first 1 among the leading bits, from 1; bits + 1 if there is none."""
    rank, probe = 1, 1 << (bits - 1)
    while probe > 0 and rest & probe == 0:
        rank += 1
        probe >>= 1
    return rank


def add(at, word, parameters):
    not_inlined()
    left, right = hashed(word)
    below = 32 - Size(parameters).precision  # bits of the left half that don't choose the register
    register, rest = left >> below, (left & ((1 << below) - 1)) << 32 | right
    shift = register % A_WORD * WIDTH
    held = words_at(at)[register // A_WORD]
    rank = _rank(rest, below + 32)
    if rank > held >> shift & LARGEST_RANK:
        words_at(at)[register // A_WORD] = held & ~(LARGEST_RANK << shift) | rank << shift


def absorb(into, other, parameters):
    for word in range(_words(parameters)):
        ours, theirs = words_at(into)[word], words_at(other)[word]
        greater = ((ours | GUARDS) - theirs) & GUARDS  # the guard of each register in which ours is at least theirs
        kept = greater - (greater >> 6)
        words_at(into)[word] = ours & kept | theirs & ~kept


@inner
def _share_of_empty(empty):
    """Ertl's σ of the share of registers that are 0, below 1."""
    total, weight = empty, 1.0
    while True:
        empty *= empty
        before = total
        total += empty * weight
        weight *= 2.0
        if total == before:
            return total


def lower(at, parameters):
    not_inlined()
    registers, empty, total = 1 << Size(parameters).precision, 0, 0.0
    for register in range(registers):
        rank = words_at(at)[register // A_WORD] >> register % A_WORD * WIDTH & LARGEST_RANK
        if rank == 0:
            empty += 1
        else:
            total += 1.0 / (1 << rank)
    if empty == registers:
        return (0, False, False)
    total += registers * _share_of_empty(empty / registers)
    return (int(registers * registers / (2.0 * math.log(2.0) * total) + 0.5), False, False)


PRECISION = (Parameter("precision", 10, 4, 14),)
MONOIDS = (
    Sketch(WHOLE, words, clear, add, absorb, lower, "int64", parameters=PRECISION),
    Sketch(FLOAT, words, clear, coded(add, value_bits, is_second=True), absorb, lower, "int64", parameters=PRECISION),
)
