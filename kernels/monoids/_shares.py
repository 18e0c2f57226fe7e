"""Sums of shares of values, where an event counts in part: of a trip that spends a quarter of its time in a window, a
quarter of each value (semantics §2, attribution `prorated`). The second word is the share, a float64 in (0, 1].

    a trip of 8 € with a share of 0.25   count 0.25   sum 2.0   mean: sums of 2.0 and of 0.25, 8.0
"""

from functools import partial

from windrow.kernels.monoid import SHARE, unchecked
from windrow.kernels.monoids._binned_sum import NO_SUM, NONE, combine, lift, mean_by_weights, mean_of, of_values
from windrow.kernels.monoids._order_code import coded, float_bits
from windrow.kernels.runtime.memory import as_float, as_word

INTEGERS = ("int64", "bool")


def lift_count(word, share):
    return lift(share)


def lift_float(word, share):
    return lift(as_word(as_float(word) * as_float(share)))


def lower_count(state):
    return (as_word(mean_of(state, 1)), False, False)


def lower_sum(state):
    total = mean_of(state, 1)
    return (as_word(total), state[0] == NONE, total != total)


def no_values():
    return (NONE, 0, 0, 0, 0, NONE, 0, 0, 0, 0)


def lift_float_and_share(word, share):
    return (*lift(as_word(as_float(word) * as_float(share))), *lift(share))


def combine_both(older, newer):
    return (*combine(older[:5], newer[:5]), *combine(older[5:], newer[5:]))


def lower_mean(state):
    if state[5] == NONE:
        return (0, True, False)
    found = mean_by_weights(state[:5], state[5:])
    return (as_word(found), False, found != found)


_sum = partial(of_values, second_types=(SHARE,))
_mean = partial(unchecked, second_types=(SHARE,), failure=NO_SUM)
COUNT = _sum(("", *INTEGERS, "float64", "timestamp", "date"), lift_count, lower_count)
SUMS = (_sum(INTEGERS, coded(lift_float, float_bits), lower_sum), _sum(("float64",), lift_float, lower_sum))
MEANS = (
    _mean(INTEGERS, 10, no_values, coded(lift_float_and_share, float_bits), combine_both, lower_mean, "float64"),
    _mean(("float64",), 10, no_values, lift_float_and_share, combine_both, lower_mean, "float64"),
)
