"""argmin: the event time at which the least value first occurs. With a second column, the value of that column in the
same event; if several events have the least value, the first in order counts. An event is skipped if either column is
null. Null over no values.

    (code, time | second word)               of floats, whose codes are never LARGEST
    (value, time | second word, 1 if there)  of integers

The greatest value has the least complement, ~value, which can't overflow as −value can. One state for both was tried: a
finger tree of floats took 13 % longer.
"""

from collections.abc import Callable
from functools import partial

from numba.extending import register_jitable

from windrow.kernels.monoid import FLOAT, SECOND, WHOLE, Monoid, unchecked
from windrow.kernels.monoids._order_code import coded
from windrow.kernels.runtime.fields import LARGEST

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


def there(lift: Callable) -> Callable:
    """`lift` for integers, with the word that says that there is a value."""
    lift = register_jitable(lift)

    def lift_integer(one, other):
        return lift(one, other) + (1,)

    return lift_integer


def lift(word, second):
    return (word, second)


def lift_time(time, word):
    return (word, time)


def monoids(lift, lift_time) -> tuple[Monoid, ...]:
    """With one column the time, with two what the second one holds."""
    at = partial(unchecked, takes_time=True, selective=True)
    of_second = partial(unchecked, commutative=False, second_types=SECONDS)
    time_of_float = coded(lift_time, is_second=True)
    return (
        at(WHOLE, 3, identity, there(lift_time), combine_times, lower, "timestamp"),
        at(FLOAT, 2, identity_float, time_of_float, combine_float_times, lower_float, "timestamp"),
        of_second(WHOLE, 3, identity, there(lift), combine, lower, SECOND),
        of_second(FLOAT, 2, identity_float, coded(lift), combine_float, lower_float, SECOND),
    )


MONOIDS = monoids(lift, lift_time)
