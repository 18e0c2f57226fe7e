"""Sums of shares of values, where an event counts in part: of a trip that spends a quarter of its time in a window, a
quarter of each value (semantics §2, attribution `prorated`). The second word is the share, a float64 in (0, 1].

    a trip of 8 € with a share of 0.25   count 0.25   sum 2.0   mean: state (2.0, 0.25), 8.0
"""

from kernels.monoid import SHARE, FloatWord, Monoid
from kernels.monoids import _float_sum
from kernels.monoids._float_sum import NO_SUM, NONE, added, mean_of
from kernels.runtime.memory import as_float, as_word

BY_SHARES = {"second_types": (SHARE,), "checked": False, "failure": NO_SUM}
INTEGERS = ("int64", "bool")


def lift_count(word, share):
    return (share,)


def lift_integer(word, share):
    return (as_word(float(word) * as_float(share) + 0.0),)


def lift_float(word, share):
    return (as_word(as_float(word) * as_float(share) + 0.0),)


def lower_count(state):
    return (0 if state[0] == NONE else state[0], False, False)


def lower_sum(state):
    total = mean_of(state[0], 1)
    return (as_word(total), state[0] == NONE, total != total)


def no_values():
    return (NONE, NONE)


def lift_integer_and_share(word, share):
    return (as_word(float(word) * as_float(share) + 0.0), share)


def lift_float_and_share(word, share):
    return (as_word(as_float(word) * as_float(share) + 0.0), share)


def combine_both(older, newer):
    return (added(older[0], newer[0]), added(older[1], newer[1]))


def lower_mean(state):
    if state[1] == NONE:
        return (0, True, False)
    found = mean_of(state[0], as_float(state[1]))
    return (as_word(found), False, found != found)


def _sum_of_shares(column_types, lift, lower):
    floats = _float_sum.FLOATS
    return Monoid(
        column_types, 1, _float_sum.identity, lift, _float_sum.combine, lower, "float64", floats=floats, **BY_SHARES
    )


def _mean_by_shares(column_types, lift):
    floats = (FloatWord(0), FloatWord(1))
    return Monoid(column_types, 2, no_values, lift, combine_both, lower_mean, "float64", floats=floats, **BY_SHARES)


COUNT = _sum_of_shares(("", *INTEGERS, "float64", "timestamp", "date"), lift_count, lower_count)
SUMS = (_sum_of_shares(INTEGERS, lift_integer, lower_sum), _sum_of_shares(("float64",), lift_float, lower_sum))
MEANS = (_mean_by_shares(INTEGERS, lift_integer_and_share), _mean_by_shares(("float64",), lift_float_and_share))
