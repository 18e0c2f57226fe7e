"""A sum of float64 values (_binned_sum.py) and how many values are in it: its words, and one more."""

from numba.extending import register_jitable

from kernels.monoid import Monoid, unchecked
from kernels.monoids import _binned_sum

WORDS = _binned_sum.WORDS + 1


def identity():
    return (_binned_sum.NONE, 0, 0, 0, 0, 0)


@register_jitable
def lift(word):
    return (*_binned_sum.lift(word), 1)


def combine(older, newer):
    return (*_binned_sum.combine(older[:5], newer[:5]), older[5] + newer[5])


@register_jitable
def mean(state):
    return _binned_sum.mean_of(state[:5], state[5])


def of_values(column_types, lift, lower, failure=_binned_sum.NO_SUM) -> Monoid:
    """The monoid of an aggregate whose result follows from these words."""
    return unchecked(column_types, WORDS, identity, lift, combine, lower, "float64", failure=failure)
