"""bloom: whether a value equal to `contains` may be among the values (Bloom 1970). False is certain. True is wrong for
about (1 − e^(−hashes · values / bits))^hashes of the numbers that are not among the values: for 0.7 % of them with 100
different values, 1,024 bits and 7 hashes. Never null: false over no values.

`contains` is in the column's own words: timestamps in µs, dates in days, bools as 0 and 1.
"""

from functools import partial

from windrow.kernels.monoid import FLOAT, Parameter, Sketch
from windrow.kernels.monoids._order_code import coded, value_bits
from windrow.kernels.runtime.fields import LARGEST, SMALLEST, Count, Integer, Word
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.mixing import hashed
from windrow.kernels.runtime.struct import Struct, clear_words, words_at

GREATEST_FLOAT = 1.7976931348623157e308
SIZES = (Parameter("bits", 1024, 64, 1 << 16, step=64), Parameter("hashes", 7, 1, 16))


class Set(Struct):
    """The parameters in memory."""

    bits: Integer("bits")
    hashes: Count
    contains: Word


def words(parameters):
    return parameters[0] // 64


def clear(at, parameters):
    clear_words(at, Set(parameters).bits // 64)


@inner
def _bit(place):
    """Bit 63 alone is −2**63."""
    return SMALLEST if place == 63 else 1 << place


@inner
def _place(left, right, turn, bits):
    """The bit of one of the hash functions (Kirsch and Mitzenmacher 2006); the square keeps short cycles apart."""
    return (left + turn * (right + turn)) % bits


def add(at, word, parameters):
    not_inlined()
    parameters = Set(parameters)
    left, right = hashed(word)
    for turn in range(parameters.hashes):
        place = _place(left, right, turn, parameters.bits)
        words_at(at)[place >> 6] |= _bit(place & 63)


@inner
def _holds(at, word, parameters):
    not_inlined()
    parameters = Set(parameters)
    left, right = hashed(word)
    for turn in range(parameters.hashes):
        place = _place(left, right, turn, parameters.bits)
        if words_at(at)[place >> 6] & _bit(place & 63) == 0:
            return 0
    return 1


def absorb(into, other, parameters):
    for word in range(Set(parameters).bits // 64):
        words_at(into)[word] |= words_at(other)[word]


def lower(at, parameters):
    return (_holds(at, Set(parameters).contains, parameters), False, False)


def lower_float(at, parameters):
    return (_holds(at, value_bits(Set(parameters).contains), parameters), False, False)


OF_WORDS = (*SIZES, Parameter("contains", 0, SMALLEST, LARGEST))
OF_FLOATS = (*SIZES, Parameter("contains", 0.0, -GREATEST_FLOAT, GREATEST_FLOAT))
bloom = partial(Sketch, output_type="bool")
MONOIDS = (
    bloom(("int64", "timestamp", "date", "bool"), words, clear, add, absorb, lower, parameters=OF_WORDS),
    bloom(FLOAT, words, clear, coded(add, value_bits, is_second=True), absorb, lower_float, parameters=OF_FLOATS),
)
