"""What an aggregate is to a kernel: a monoid over states of a fixed number of 64-bit words (FIBA §3.1, MTA §5.8)."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

SECOND = "second"
"""As output type of a monoid: the type of its second column."""
SHARE = "share"
"""As type of a second column: how much of the event counts, a float64 in (0, 1] that the replay gives."""
WHOLE = ("int64", "timestamp", "date", "bool", "string")
"""Types of columns whose words are whole numbers, in the order of the values."""
FLOAT = ("float64",)


class AggregateSpec(NamedTuple):
    """One aggregate of a query.

    function: a name in kernels/monoids ("count", "sum", "std", …)
    column: index of its value column, or None (only "count" has no column: it then counts events)
    column_type: "int64", "float64", "timestamp", "date", "bool" or "string": how the column's 64-bit words are read
    second, second_type: the same of a second column, for a function that takes one ("argmin": what stands with
        the least value); None where it isn't given
    parameters: (name, value) pairs; those left out have their defaults
    """

    function: str
    column: int | None = None
    column_type: str = "int64"
    second: int | None = None
    second_type: str = ""
    parameters: tuple[tuple[str, bool | int | float], ...] = ()


class Parameter(NamedTuple):
    """A number that a query may give to an aggregate: of the default's type (int, float or bool), within [least, most],
    and a multiple of `step` where that isn't 0."""

    name: str
    default: int | float
    least: int | float
    most: int | float
    step: int = 0


class FloatWord(NamedTuple):
    """A word of a state that is a float64 of the monoid's own making, so that it depends, within rounding, on how the
    values were grouped. Floats that are kept as they came, such as a minimum, are none.

    place: in the state; power: of the values' unit, 2 for a sum of squares
    mean_of: place of the word that counts the values, if this one is their mean and not a sum
    exponent: place of the word with the power of two by which it is to be multiplied, if there is one
    """

    place: int
    power: int = 1
    mean_of: int | None = None
    exponent: int | None = None


@dataclass(frozen=True)
class AnyAggregate:
    """What a Monoid, a Sketch and an OrderStatistic say of themselves.

    column_types: which columns it takes ("" stands for no column)
    second_types: which second columns, where it takes one
    output_type: column type of the lowered word; None: that of the column; SECOND: that of the second column
    failure: what it means, in words, that `lower` → (word, is_null, failed) says failed
    commutative, inverse, floats, …: as Monoid has them; other aggregates have the defaults
    """

    column_types: tuple[str, ...]
    _: KW_ONLY
    parameters: tuple[Parameter, ...] = ()
    second_types: tuple[str, ...] = ()
    failure: str = ""
    commutative: bool = True
    takes_time: bool = False
    takes_nulls: bool = False
    selective: bool = False
    inverse: Callable | None = None
    floats: tuple[FloatWord, ...] = ()

    if TYPE_CHECKING:  # as it runs, a field of each: it stands behind the functions

        @property
        def output_type(self) -> str | None: ...


BEYOND_INT64 = "is beyond int64 (±9,223,372,036,854,775,807); take a scaled-down or a float column instead"


@dataclass(frozen=True)
class Monoid(AnyAggregate):
    """An aggregate with a short state: a tuple of `words` integers within int64, kept in registers.

    The functions are plain Python that Numba can compile. Words of values are lifted as they stand: a float64 column's
    by its bits (windrow.kernels.runtime.memory.as_float).

    identity() → state
    lift(word) → state of one value that isn't null; lift(time, word) if it takes_time: event time in µs;
        with second_types an argument more, the second column's word (the event is skipped if either is null)
    takes_nulls: whether nulls are lifted too: lift(word, is_there), where the word of a null says nothing
    lift_takes_parameters: whether `lift` has last arguments more, a word per parameter as in `lower`
    combine(older, newer) → state; associative, and commutative where the flag says so
    lower(state, …) → (word, is_null, failed); after the state a word per parameter, a float's by its bits
    inverse(total, oldest) → the state without its oldest part, exactly; None where there is no exact one
    selective: whether the answer is of one of the events, which may be combined twice (SPANS §2.3, table 1)
    floats: the words of a state that aren't exact
    checked: whether its integers are watched: one beyond int64, on the way or in the answer, fails the aggregate
        (overflow.py). False where none can leave int64, whatever the values: tests must show that
    """

    words: int
    identity: Callable
    lift: Callable
    combine: Callable
    lower: Callable
    output_type: str | None = None
    _: KW_ONLY
    lift_takes_parameters: bool = False
    failure: str = BEYOND_INT64
    checked: bool = True


unchecked = partial(Monoid, checked=False)
"""A Monoid of which no integer can leave int64, whatever the values: tests must show that."""


@dataclass(frozen=True)
class Sketch(AnyAggregate):
    """An aggregate with a long state that is worked on where it stands in memory: by the fields of a
    Struct, or as `words_at(at)` (kernels/runtime/struct.py). Commutative.

    words(parameters) → length of a state; `parameters` a tuple of the values in the order of `parameters`
    clear(at, parameters): the identity; here and below `parameters` is the address of a word per parameter,
        the fields of a Struct of the file
    add(at, word, parameters): one value more
    absorb(into, other, parameters): into ⊗= other
    lower(at, parameters) → (word, is_null, failed)
    join(into, older, newer): into = older ⊗ newer as far as `lower` sees, until one of them changes; None where that is
        no quicker than a copy and `absorb`
    """

    words: Callable
    clear: Callable
    add: Callable
    absorb: Callable
    lower: Callable
    output_type: str | None = None
    _: KW_ONLY
    join: Callable | None = None


@dataclass(frozen=True)
class OrderStatistic(AnyAggregate):
    """An aggregate of all values of a window at once, kept by their ranks: a RankedValues
    (kernels/states/order_statistics.py). It has no states, so that it is none of windows that are put together from
    them.

    memory_words: words of memory that it needs for each different value, and one more; zeros for no values
    add(held, rank), remove(held, rank): one value more, or less, after `held.held` has been set
    lower(held) → (word, is_null, failed)
    """

    memory_words: int
    add: Callable
    remove: Callable
    lower: Callable
    output_type: str | None = None
