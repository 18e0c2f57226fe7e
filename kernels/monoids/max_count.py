"""max_count: how many values equal the greatest value. Null over no values."""

from windrow.kernels.monoids.min_count import monoids


def lift(word):
    return (~word, 1)


MONOIDS = monoids(lift)
