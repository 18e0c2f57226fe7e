"""mean: of integers from their exact sum, of floats from their float64 sum; always float64. Null over no
values."""

from kernels.memory import as_float, as_word
from kernels.monoid import Monoid
from kernels.monoids import _exact_sum
from kernels.monoids import sum as float_sum

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
    if state[1] == 0:
        return (0, True, False)
    return (as_word(as_float(state[0]) / float(state[1])), False, False)


MONOIDS = (
    Monoid(
        ("int64", "bool"),
        3,
        _exact_sum.identity,
        _exact_sum.lift,
        _exact_sum.combine,
        lower_integer,
        "float64",
    ),
    Monoid(("float64",), 2, float_sum.identity, float_sum.lift, float_sum.combine, lower, "float64"),
)
