"""argmax: the event time at which the greatest value first occurs. With a second column, the value of that column in
the same event; if several events have the greatest value, the first in order counts. An event is skipped if either
column is null. Null over no values."""

from windrow.kernels.monoids.argmin import monoids


def lift(word, second):
    return (~word, second)


def lift_time(time, word):
    return (~word, time)


MONOIDS = monoids(lift, lift_time)
