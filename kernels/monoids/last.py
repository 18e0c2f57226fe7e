"""last: the value of the last event whose value isn't null, in order of (time, insertion), with the column's type;
with `nulls=True` that of the last event, even if it is null. Null over no values."""

from kernels.monoids.first import SHORT_NONE, monoids


def combine(older, newer):
    return newer if newer[1] else older


def combine_short(older, newer):
    return older if newer[0] == SHORT_NONE else newer


MONOIDS = monoids(combine, combine_short)
