"""argmin: the event time at which the least value first occurs; with a second column, what that holds there, the
first in order where several events have the least value. Null over no values; an event is skipped if either column
is null.

    (code, time | second word)               of floats, whose codes are never LARGEST
    (code, time | second word, 1 if there)   of integers

The greatest value has the least complement, ~value, which can't overflow as −value can.
"""

from functools import partial

from kernels.monoid import FLOAT, SECOND, WHOLE, Monoid, unchecked
from kernels.monoids._order_code import LARGEST, value_code

SECONDS = ("int64", "float64", "timestamp", "date", "bool", "string")


def identity():
    return (LARGEST, LARGEST, 0)


def combine(older, newer):
    """The first in order."""
    takes_newer = newer[2] > older[2] or (newer[2] == 1 and newer[0] < older[0])
    return newer if takes_newer else older


def combine_times(older, newer):
    """The least time: whichever part it is in, so that it commutes."""
    takes_newer = newer[0] < older[0] or (newer[0] == older[0] and newer[1] < older[1])
    least = newer if takes_newer else older
    return (least[0], least[1], older[2] | newer[2])


def lower(state):
    return (state[1], state[2] == 0, False)


def identity_float():
    return (LARGEST, LARGEST)


def combine_float(older, newer):
    return newer if newer[0] < older[0] else older


def combine_float_times(older, newer):
    takes_newer = newer[0] < older[0] or (newer[0] == older[0] and newer[1] < older[1])
    return newer if takes_newer else older


def lower_float(state):
    return (state[1], state[0] == LARGEST, False)


def lift(word, second):
    return (word, second, 1)


def lift_time(time, word):
    return (word, time, 1)


def lift_float(word, second):
    return (value_code(word), second)


def lift_float_time(time, word):
    return (value_code(word), time)


def monoids(lift, lift_time, lift_float, lift_float_time) -> tuple[Monoid, ...]:
    """With one column the time, with two what the second one holds."""
    at = partial(unchecked, takes_time=True, selective=True)
    there = partial(unchecked, commutative=False, second_types=SECONDS)
    return (
        at(WHOLE, 3, identity, lift_time, combine_times, lower, "timestamp"),
        at(FLOAT, 2, identity_float, lift_float_time, combine_float_times, lower_float, "timestamp"),
        there(WHOLE, 3, identity, lift, combine, lower, SECOND),
        there(FLOAT, 2, identity_float, lift_float, combine_float, lower_float, SECOND),
    )


MONOIDS = monoids(lift, lift_time, lift_float, lift_float_time)
