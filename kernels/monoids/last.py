"""last: the value of the last event whose value isn't null, in order of (time, insertion), with the column's type. With
`nulls=True`, the value of the last event, even if it is null. Null over no values."""

from windrow.kernels.monoid import FLOAT, WHOLE
from windrow.kernels.monoids.first import identity, kept, lift, lower


def combine(older, newer):
    return newer if newer[1] else older


MONOIDS = (kept((*WHOLE, *FLOAT), 2, identity, lift, combine, lower),)
