"""longest_run: how many values the longest strictly increasing run of neighbours holds, in order of (time, insertion);
null values are no neighbours. Null over no values."""

from kernels.monoid import FLOAT, unchecked
from kernels.monoids._order_code import coded
from kernels.monoids._runs import TYPES, combine, identity, lift, lower

MONOIDS = (
    unchecked(TYPES, 5, identity, lift, combine, lower, "int64", commutative=False),
    unchecked(FLOAT, 5, identity, coded(lift), combine, lower, "int64", commutative=False),
)
