"""rate: the mean rate of change, per second: the last value minus the first, divided by the time between them. Null
unless two values have different times.

State (first time, first value, last time, last value); of no values the first time is after the last.
"""

from functools import partial

from numba.extending import register_jitable

from windrow.kernels.monoid import unchecked
from windrow.kernels.runtime.fields import LARGEST, SMALLEST
from windrow.kernels.runtime.memory import as_float, as_word

MICROSECONDS = 1e6


def identity():
    return (LARGEST, 0, SMALLEST, 0)


def lift(time, word):
    return (time, word, time, word)


def combine(older, newer):
    if older[0] > older[2]:
        return newer
    return older if newer[0] > newer[2] else (older[0], older[1], newer[2], newer[3])


@register_jitable
def _difference(last, first):
    """As a float; the exact one wherever it is within int64."""
    fits = last <= LARGEST + first if first < 0 else last >= SMALLEST + first
    return float(last - first) if fits else float(last) - float(first)


def lower(state):
    if state[0] >= state[2]:
        return (0, True, False)
    seconds = _difference(state[2], state[0]) / MICROSECONDS
    return (as_word(_difference(state[3], state[1]) / seconds), False, False)


def lower_float(state):
    if state[0] >= state[2]:
        return (0, True, False)
    found = (as_float(state[3]) - as_float(state[1])) / (_difference(state[2], state[0]) / MICROSECONDS)
    return (as_word(found), False, found != found)


FAILURE = "begins and ends with infinity, between which there is no rate; filter it out"
in_time = partial(unchecked, commutative=False, takes_time=True)
MONOIDS = (
    in_time(("int64",), 4, identity, lift, combine, lower, "float64"),
    in_time(("float64",), 4, identity, lift, combine, lower_float, "float64", failure=FAILURE),
)
