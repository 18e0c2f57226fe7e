"""longest_run_start: the event time of the first value of longest_run, of the first one where several are as long. Null
over no values."""

from kernels.monoid import Monoid
from kernels.monoids._runs import TYPES, combine_starts, identity_marked, lift_float_marked, lift_marked, lower_mark

MONOIDS = tuple(
    Monoid(
        types,
        8,
        identity_marked,
        lift,
        combine_starts,
        lower_mark,
        "timestamp",
        commutative=False,
        takes_time=True,
        checked=False,
    )
    for types, lift in ((TYPES, lift_marked), (("float64",), lift_float_marked))
)
