"""sum: the sum of the values. Of integers it is exact, and the run fails if it is beyond int64. Of floats it is the
float64 nearest to their exact sum, whatever their order, and infinite only if a value or the sum itself is. If one
value is more than 2**44 times another, bits below 2**−96 of the greatest may be lost, the same bits in every order.
Null over no values."""

from windrow.kernels.monoid import unchecked
from windrow.kernels.monoids import _binned_sum, _exact_sum, _shares
from windrow.kernels.monoids._exact_sum import HALF
from windrow.kernels.runtime.memory import as_word


def lower_integer(state):
    high, low, values = state
    if high < -HALF or high >= HALF:
        return (0, False, True)
    return (high * 2 * HALF + low, values == 0, False)


def lower_float(state):
    total = _binned_sum.mean_of(state, 1)
    return (as_word(total), state[0] == _binned_sum.NONE, total != total)


MONOIDS = (
    unchecked(("int64", "bool"), *_exact_sum.PARTS, lower_integer, "int64", inverse=_exact_sum.inverse),
    _binned_sum.of_values(("float64",), _binned_sum.lift, lower_float),
    *_shares.SUMS,
)
