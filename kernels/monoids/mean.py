"""mean: the exact sum, as in `sum`, divided by the number of values and rounded once; always float64. Null over no
values."""

from numba.extending import register_jitable

from windrow.kernels.monoid import Monoid, unchecked
from windrow.kernels.monoids import _binned_sum, _exact_sum, _shares
from windrow.kernels.runtime.memory import as_word

WORDS = _binned_sum.WORDS + 1
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


def identity():
    return (_binned_sum.NONE, 0, 0, 0, 0, 0)


@register_jitable
def lift(word):
    return (*_binned_sum.lift(word), 1)


def combine(older, newer):
    return (*_binned_sum.combine(older[:5], newer[:5]), older[5] + newer[5])


@register_jitable
def mean_of(state):
    return _binned_sum.mean_of(state[:5], state[5])


def lower(state):
    if state[5] == 0:
        return (0, True, False)
    found = mean_of(state)
    return (as_word(found), False, found != found)


def of_values(column_types, lift, lower, failure=_binned_sum.NO_SUM) -> Monoid:
    """The monoid of an aggregate whose result follows from a sum of floats and how many there are."""
    return unchecked(column_types, WORDS, identity, lift, combine, lower, "float64", failure=failure)


MONOIDS = (
    unchecked(("int64", "bool"), *_exact_sum.PARTS, lower_integer, "float64", inverse=_exact_sum.inverse),
    of_values(("float64",), lift, lower),
    *_shares.MEANS,
)
