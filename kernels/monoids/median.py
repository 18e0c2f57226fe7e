"""median: exactly the middle value in order; of an even number of values, the mean of the two in the middle. Always
float64. Null over no values."""

import math

from windrow.kernels.monoid import OrderStatistic
from windrow.kernels.monoids._order_code import order_code
from windrow.kernels.runtime.memory import as_float, as_word, inner
from windrow.kernels.runtime.rank_counts import MEMORY_WORDS, add, remove, value_at

HALF_RANGE = 1 << 62


@inner
def _middle(low, high):
    """Of two whole numbers in order the float64 next to their mean: where their sum may be beyond int64, the mean's
    floor with its lowest bit set if there is a half, which rounds as the half does."""
    if low < 0 <= high or (low >= -HALF_RANGE and high < HALF_RANGE):
        return float(low + high) / 2.0
    floor, half = (low >> 1) + (high >> 1) + (low & high & 1), (low ^ high) & 1
    return float(floor | half)


def lower(held):
    if held.held == 0:
        return (0, True, False)
    low, high = value_at(held, (held.held + 1) // 2), value_at(held, held.held // 2 + 1)
    return (as_word(_middle(low, high)), False, False)


@inner
def _mean(low, high):
    """Of two floats; where their sum is beyond float64, their halves are exact."""
    both = low + high
    return low / 2.0 + high / 2.0 if math.isinf(both) else both / 2.0


def lower_float(held):
    if held.held == 0:
        return (0, True, False)
    low = as_float(order_code(value_at(held, (held.held + 1) // 2)))
    high = as_float(order_code(value_at(held, held.held // 2 + 1)))
    found = _mean(low, high)
    return (as_word(found), False, math.isnan(found))


FAILURE = "has −inf and inf in the middle, which have no mean"
MONOIDS = (
    OrderStatistic(("int64",), MEMORY_WORDS, add, remove, lower, "float64"),
    OrderStatistic(("float64",), MEMORY_WORDS, add, remove, lower_float, "float64", failure=FAILURE),
)
