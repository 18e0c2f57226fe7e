"""longest_run: how many values the longest strictly increasing run of neighbours holds, in order of (time, insertion);
null values are no neighbours. Null over no values."""

from kernels.monoid import Monoid
from kernels.monoids._runs import TYPES, combine, identity, lift, lift_float, lower

MONOIDS = (
    Monoid(TYPES, 5, identity, lift, combine, lower, "int64", commutative=False, checked=False),
    Monoid(("float64",), 5, identity, lift_float, combine, lower, "int64", commutative=False, checked=False),
)
