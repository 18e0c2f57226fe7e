"""geometric_mean: the geometric mean, from the exact sum of the float64 logarithms. If a value is zero, it is 0.0; if a
value is negative, the run fails. Null over no values.

Neither needs a word: the logarithm of zero is −infinity and stays, that of a negative value is NaN and stays.
"""

import math

from numba.extending import register_jitable

from windrow.kernels.monoids import mean
from windrow.kernels.monoids._order_code import coded, float_bits
from windrow.kernels.runtime.memory import as_float, as_word


@register_jitable
def _logarithm(value):
    if value < 0.0:
        return math.nan
    return math.log(value) if value > 0.0 else -math.inf


def lift(word):
    return mean.lift(as_word(_logarithm(as_float(word))))


def lower(state):
    if state[5] == 0:
        return (0, True, False)
    logarithm = mean.mean_of(state)
    return (as_word(math.exp(logarithm)), False, logarithm != logarithm)


FAILURE = (
    "holds a negative value, which has no geometric mean, or zero and infinity together; filter them out with "
    "the query's `where`, or take the mean"
)
MONOIDS = (
    mean.of_values(("int64",), coded(lift, float_bits), lower, FAILURE),
    mean.of_values(("float64",), lift, lower, FAILURE),
)
