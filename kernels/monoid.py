"""What an aggregate is to a kernel: a monoid over states of a fixed number of 64-bit words (FIBA §3.1, MTA
§5.8)."""

from collections.abc import Callable
from typing import NamedTuple


class AggregateSpec(NamedTuple):
    """One aggregate of a query.

    function: a name in kernels/monoids ("count", "sum", "min", "max", "mean")
    column: index of its value column, or None (only "count" has no column: it then counts events)
    column_type: "int64", "float64", "timestamp", "date" or "bool": how the column's 64-bit words are read
    """

    function: str
    column: int | None = None
    column_type: str = "int64"


class Monoid(NamedTuple):
    """One aggregate over columns of some types. The four functions are plain Python that Numba can compile.

    column_types: which columns it takes ("" stands for no column)
    words: length of a state, a tuple of that many integers within int64
    identity() → state; lift(word) → state of one value that isn't null
    combine(older, newer) → state; associative, and commutative where the flag says so
    lower(state) → (word, is_null, overflowed)
    output_type: column type of the lowered word; None: that of the column
    """

    column_types: tuple[str, ...]
    words: int
    identity: Callable
    lift: Callable
    combine: Callable
    lower: Callable
    output_type: str | None = None
    commutative: bool = True
