"""range: the greatest value minus the least. Of integers, the run fails if that is beyond int64. Null over no values.

State (least, greatest), floats by their codes; of no values the least is above the greatest.
"""

from windrow.kernels.monoid import unchecked
from windrow.kernels.monoids._order_code import coded, order_code
from windrow.kernels.runtime.fields import LARGEST, SMALLEST
from windrow.kernels.runtime.memory import as_float, as_word


def identity():
    return (LARGEST, SMALLEST)


def lift(word):
    return (word, word)


def combine(older, newer):
    return (min(older[0], newer[0]), max(older[1], newer[1]))


def lower(state):
    least, greatest = state
    if least > greatest:
        return (0, True, False)
    if least < 0 and greatest > LARGEST + least:
        return (0, False, True)
    return (greatest - least, False, False)


def lower_float(state):
    least, greatest = state
    if least > greatest:
        return (0, True, False)
    found = as_float(order_code(greatest)) - as_float(order_code(least))
    return (as_word(found), False, found != found)


FAILURE = "holds one infinity only, which is no distance from itself; filter it out"
MONOIDS = (
    unchecked(("int64",), 2, identity, lift, combine, lower, "int64"),
    unchecked(("float64",), 2, identity, coded(lift, order_code), combine, lower_float, "float64", failure=FAILURE),
)
