"""argmax: the event time at which the greatest value first occurs; with a second column, what that holds there, the
first in order where several events have the greatest value. Null over no values; an event is skipped if either
column is null."""

from windrow.kernels.monoids.argmin import monoids


def lift(word, second):
    return (~word, second)


def lift_time(time, word):
    return (~word, time)


MONOIDS = monoids(lift, lift_time)
