"""count: how many events there are; with a column, how many of its values aren't null. Never null."""

from windrow.kernels.monoid import unchecked
from windrow.kernels.monoids import _shares


def identity():
    return (0,)


def lift(word):
    return (1,)


def combine(older, newer):
    return (older[0] + newer[0],)


def inverse(total, oldest):
    return (total[0] - oldest[0],)


def lower(state):
    return (state[0], False, False)


TYPES = ("", "int64", "float64", "timestamp", "date", "bool")
MONOIDS = (unchecked(TYPES, 1, identity, lift, combine, lower, "int64", inverse=inverse), _shares.COUNT)
