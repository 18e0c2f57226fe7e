"""geometric_mean: from the float64 sum of logarithms. A zero makes it 0.0, a negative value is a failure. Null over no
values.

Neither needs a word: the logarithm of zero is −infinity and stays, that of a negative value is NaN and stays.
"""

import math

from numba.extending import register_jitable

from kernels.monoid import Monoid
from kernels.monoids import _sum_and_count
from kernels.runtime.memory import as_float, as_word


@register_jitable
def _logarithm(value):
    if value < 0.0:
        return math.nan
    return math.log(value) if value > 0.0 else -math.inf


def lift(word):
    return (as_word(_logarithm(as_float(word))), 1)


def lift_integer(word):
    return (as_word(_logarithm(float(word))), 1)


def lower(state):
    if state[1] == 0:
        return (0, True, False)
    logarithm = as_float(state[0]) / float(state[1])
    return (as_word(math.exp(logarithm)), False, logarithm != logarithm)


FAILURE = (
    "holds a negative value, which has no geometric mean, or zero and infinity together; filter them out with "
    "the query's `where`, or take the mean"
)
MONOIDS = tuple(
    Monoid(
        (kind,),
        2,
        _sum_and_count.identity,
        lifted,
        _sum_and_count.combine,
        lower,
        "float64",
        failure=FAILURE,
        floats=_sum_and_count.FLOATS,
        checked=False,
    )
    for kind, lifted in (("int64", lift_integer), ("float64", lift))
)
