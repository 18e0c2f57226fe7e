"""first: the value of the first event whose value isn't null, in order of (time, insertion), with the column's type;
with `nulls=True` that of the first event, even if it is null. Null over no values."""

from kernels.monoids import _kept_value


def combine(older, newer):
    return older if older[1] else newer


def combine_short(older, newer):
    return newer if older[0] == _kept_value.SHORT_NONE else older


MONOIDS = _kept_value.monoids(combine, combine_short)
