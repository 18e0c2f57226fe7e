"""std: the standard deviation, which is the square root of the variance. By default of a sample (ddof 1); with ddof 0
of all values. Null over ddof values or fewer."""

import math

from windrow.kernels.monoids.variance import monoids, variance_of
from windrow.kernels.runtime.memory import as_word


def lower(state, ddof):
    found, is_null, failed = variance_of(state, ddof)
    return (as_word(math.sqrt(found)), is_null, failed)


MONOIDS = monoids(lower)
