"""mean: the exact sum by the number of values, rounded once; always float64. Null over no values."""

from kernels.monoid import unchecked
from kernels.monoids import _exact_sum, _shares, _sum_and_count
from kernels.runtime.memory import as_word

EXACT_HIGH = 1 << 21  # below it the whole sum stays within ±2**53, which a float64 holds exactly


def lower_integer(state):
    """Whole part and rest apart where the sum is beyond what a float64 holds exactly."""
    high, low, values = state
    if values == 0:
        return (0, True, False)
    if -EXACT_HIGH <= high < EXACT_HIGH:
        return (as_word(float(high * (1 << 32) + low) / float(values)), False, False)
    rest = high % values * (1 << 32) + low
    whole = high // values * (1 << 32) + rest // values
    return (as_word(float(whole) + float(rest % values) / float(values)), False, False)


def lower(state):
    if state[5] == 0:
        return (0, True, False)
    found = _sum_and_count.mean(state)
    return (as_word(found), False, found != found)


MONOIDS = (
    unchecked(("int64", "bool"), *_exact_sum.PARTS, lower_integer, "float64", inverse=_exact_sum.inverse),
    _sum_and_count.of_values(("float64",), _sum_and_count.lift, lower),
    *_shares.MEANS,
)
