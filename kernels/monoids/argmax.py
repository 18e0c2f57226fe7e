"""argmax: the event time at which the greatest value first occurs; with a second column, what that holds there, the
first in order where several events have the greatest value. Null over no values; an event is skipped if either
column is null."""

from kernels.monoids._order_code import value_code
from kernels.monoids.argmin import monoids


def lift(word, second):
    return (~word, second, 1)


def lift_time(time, word):
    return (~word, time, 1)


def lift_float(word, second):
    return (~value_code(word), second)


def lift_float_time(time, word):
    return (~value_code(word), time)


MONOIDS = monoids(lift, lift_time, lift_float, lift_float_time)
