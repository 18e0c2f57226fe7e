"""max_count: how many values equal the greatest one. Null over no values."""

from kernels.monoids import _least_count
from kernels.monoids._order_code import value_code


def lift(word):
    return (~word, 1)


def lift_float(word):
    return (~value_code(word), 1)


MONOIDS = _least_count.monoids(lift, lift_float)
