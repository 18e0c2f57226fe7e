"""max_count: how many values equal the greatest one. Null over no values."""

from kernels.monoids._order_code import value_code
from kernels.monoids.min_count import monoids


def lift(word):
    return (~word, 1)


def lift_float(word):
    return (~value_code(word), 1)


MONOIDS = monoids(lift, lift_float)
