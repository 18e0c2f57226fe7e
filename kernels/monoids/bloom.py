"""bloom: whether a value equal to `contains` may be among the values (Bloom 1970). False is certain; true may be wrong,
for about (1 − e^(−hashes · values / bits))^hashes of the numbers that are not there: 0.7 % of them with 100 different
values, 1,024 bits and 7 hashes. Never null: over no values false.

`contains` is in the column's own words: timestamps in µs, dates in days, bools as 0 and 1.
"""

from kernels.memory import inner, load, not_inlined, store
from kernels.monoid import Parameter, Sketch
from kernels.monoids._hash import hashed, value_bits

BITS, HASHES, CONTAINS = 0, 1, 2
SMALLEST, LARGEST = -(1 << 63), (1 << 63) - 1
GREATEST_FLOAT = 1.7976931348623157e308
SIZES = (Parameter("bits", 1024, 64, 1 << 16, step=64), Parameter("hashes", 7, 1, 16))


def words(parameters):
    return parameters[BITS] // 64


def clear(at, parameters):
    for place in range(load(parameters, BITS) // 64):
        store(at, place, 0)


@inner
def _bit(place):
    """Bit 63 alone is −2**63."""
    return SMALLEST if place == 63 else 1 << place


@inner
def _place(left, right, turn, bits):
    """The bit of one of the hash functions (Kirsch and Mitzenmacher 2006); the square keeps short cycles apart."""
    return (left + turn * (right + turn)) % bits


@inner
def _add(at, word, parameters):
    not_inlined()
    left, right = hashed(word)
    for turn in range(load(parameters, HASHES)):
        place = _place(left, right, turn, load(parameters, BITS))
        store(at, place >> 6, load(at, place >> 6) | _bit(place & 63))


@inner
def _holds(at, word, parameters):
    not_inlined()
    left, right = hashed(word)
    for turn in range(load(parameters, HASHES)):
        place = _place(left, right, turn, load(parameters, BITS))
        if load(at, place >> 6) & _bit(place & 63) == 0:
            return 0
    return 1


def add(at, word, parameters):
    _add(at, word, parameters)


def add_float(at, word, parameters):
    _add(at, value_bits(word), parameters)


def absorb(into, other, parameters):
    for place in range(load(parameters, BITS) // 64):
        store(into, place, load(into, place) | load(other, place))


def lower(at, parameters):
    return (_holds(at, load(parameters, CONTAINS), parameters), False, False)


def lower_float(at, parameters):
    return (_holds(at, value_bits(load(parameters, CONTAINS)), parameters), False, False)


MONOIDS = (
    Sketch(("int64", "timestamp", "date", "bool"), words, clear, add, absorb, lower, "bool",
           (*SIZES, Parameter("contains", 0, SMALLEST, LARGEST))),
    Sketch(("float64",), words, clear, add_float, absorb, lower_float, "bool",
           (*SIZES, Parameter("contains", 0.0, -GREATEST_FLOAT, GREATEST_FLOAT))),
)
