"""quantile: exactly the q-quantile. The answer is one of the values and has the column's type: the least value such
that at least q · n of the n values are no greater. `exact=True` only states that; `approx_quantile` is the sketch. Null
over no values."""

import math

from windrow.kernels.monoid import OrderStatistic, Parameter
from windrow.kernels.monoids._order_code import decoded
from windrow.kernels.runtime.memory import as_float
from windrow.kernels.runtime.rank_counts import MEMORY_WORDS, add, remove, value_at


def lower(held):
    if held.held == 0:
        return (0, True, False)
    rank = int(math.ceil(as_float(held.parameters[0]) * held.held))
    return (value_at(held, max(rank, 1)), False, False)


PARAMETERS = (Parameter("q", 0.5, 0.0, 1.0), Parameter("exact", True, True, True))
MONOIDS = (
    OrderStatistic(("int64", "timestamp", "date", "string"), MEMORY_WORDS, add, remove, lower, parameters=PARAMETERS),
    OrderStatistic(("float64",), MEMORY_WORDS, add, remove, decoded(lower), parameters=PARAMETERS),
)
