"""Python values as the words that kernels read, and back: for the window API of aggregators."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from windrow.kernels.columns import LIMIT_US, integers, is_whole, refuse_masked
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.runtime.fields import LARGEST, SMALLEST
from windrow.kernels.runtime.memory import as_float, as_word
from windrow.kernels.states.layout import Events
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.query import Aggregate

INT64 = (SMALLEST, LARGEST)
NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction)
TYPES = ("float64", "int64", "bool", "timestamp", "date")


class Source:
    """Values, validity and times of some events, laid out for kernels/states/. `address` lives as long as this."""

    def __init__(self, values: np.ndarray, valid: np.ndarray, times: np.ndarray):
        self.values, self.valid, self.times = values, valid, times
        self.layout = Events.make(values=values, valid=valid, rows=values.shape[-1], times=times)
        self.address = self.layout.address


class NamedAggregates(NamedTuple):
    """Aggregates as in a query, over columns in the order in which they are first named.

    outputs: names of the results; specs: what each is to the kernels; columns: name → type
    """

    outputs: tuple[str, ...]
    specs: tuple[AggregateSpec, ...]
    columns: dict[str, str]


def name_aggregates(
    aggregates: Mapping[str, Aggregate],
    column_types: Mapping[str, str] | None = None,
    default_type: str = "float64",
    others: Sequence[str] = (),
) -> NamedAggregates:
    """Number the columns that some aggregates read, and others behind them; those without a type in `column_types` have
    the default one. O(aggregates). WrongParameter for a column that none names, a type that there isn't, an
    aggregate of three columns, of an expression or with a filter."""
    for name, aggregate in aggregates.items():
        if aggregate.where is not None or aggregate.read_columns != tuple(dict.fromkeys(aggregate.columns)):
            allowed = "columns, and no filter: expressions are of queries. Give the window what they would give"
            raise WrongParameter(f"aggregates[{name!r}]", str(aggregate), allowed)
    read = [column for aggregate in aggregates.values() for column in aggregate.columns]
    names = list(dict.fromkeys([*read, *others]))
    if not isinstance(column_types, Mapping | None):
        raise WrongParameter("column_types", column_types, "a dict of names of columns and their types")
    given = dict(column_types or {})
    for name, kind in given.items():
        if name not in names:
            raise WrongParameter("column_types", name, f"columns of the aggregates: {', '.join(names) or 'none'}")
        if not isinstance(kind, str) or kind not in TYPES:
            raise WrongParameter(f"type of column {name}", kind, ", ".join(TYPES))
    columns = {name: given.get(name, default_type) for name in names}
    specs = tuple(_spec(name, aggregate, names, columns) for name, aggregate in aggregates.items())
    return NamedAggregates(tuple(aggregates), specs, columns)


def _spec(name: str, aggregate: Aggregate, names: list[str], columns: dict[str, str]) -> AggregateSpec:
    if len(aggregate.columns) > 2:
        raise WrongParameter(f"columns of {name}", aggregate.columns, "at most two")
    placed = [part for column in aggregate.columns for part in (names.index(column), columns[column])]
    return AggregateSpec(aggregate.function, *placed, *(None, "int64", None, "")[len(placed) :], aggregate.parameters)


class Columns:
    """The value columns of a window: turns values into words and answers into values."""

    def __init__(self, types: Mapping[str, str]):
        self.types = dict(types)

    def time(self, t: int) -> int:
        """`t`, if it fits int64."""
        if not is_whole(t) or not INT64[0] <= t <= INT64[1]:
            raise WrongParameter("time", t, "an integer within int64, in microseconds")
        return int(t)

    def time_within(self, t: int) -> int:
        """`t`, if kernels can add to it."""
        t = self.time(t)
        if not -LIMIT_US <= t <= LIMIT_US:
            raise WrongParameter("time", t, "within ±2**61 µs")
        return t

    def times(self, ts: Sequence[int] | np.ndarray) -> np.ndarray:
        if type(ts) is np.ndarray and ts.dtype == np.int64 and ts.ndim == 1:
            return ts
        if isinstance(ts, np.ndarray):
            return integers("times", ts)
        require_values("times", ts)
        return np.array([self.time(t) for t in ts], np.int64)

    def source(self, vs: Sequence, times: np.ndarray, order: np.ndarray) -> Source:
        """Values (numbers for one column, else tuples) in the given order, with their times in that order."""
        require_values("values", vs)
        if len(vs) != len(order):
            raise BadInput(f"{len(vs)} values for {len(order)} times; give one per time")
        cells = self._cells(vs)
        values = np.zeros((max(1, len(self.types)), len(order)), np.int64)
        valid = np.ones(values.shape, np.bool_)
        for place, (name, kind) in enumerate(self.types.items()):
            words, present = self._words(name, kind, cells[place])
            values[place], valid[place] = words[order], present[order]
        return Source(values, valid, np.ascontiguousarray(times[order]))

    def _cells(self, vs: Sequence) -> Sequence[Sequence]:
        """One sequence of values per column."""
        if len(self.types) <= 1:
            return [vs]
        for v in vs:
            if not isinstance(v, tuple | list | np.ndarray) or len(v) != len(self.types):
                raise BadInput(f"value {v!r}; give a tuple of {len(self.types)}: {', '.join(self.types)}")
        return list(zip(*vs, strict=True)) or [()] * len(self.types)

    def _words(self, name: str, kind: str, cells: Sequence) -> tuple[np.ndarray, np.ndarray]:
        """(words, whether each is there)."""
        if _is_column(cells, np.float64) and kind == "float64":
            if np.isnan(cells).any():
                raise BadInput(
                    f"column {name}: value {int(np.isnan(cells).argmax())} is NaN; leave it out, or make it null"
                )
            return cells.view(np.int64), np.ones(len(cells), np.bool_)
        if _is_column(cells, np.int64) and kind not in ("float64", "bool"):
            return cells, np.ones(len(cells), np.bool_)
        words = np.array([self._word(name, cell, kind) for cell in cells], np.int64)
        return words, np.array([cell is not None for cell in cells], np.bool_)

    def _word(self, name: str, value, kind: str) -> int:
        if value is None:
            return 0
        if isinstance(value, float | np.floating) and value != value:
            raise BadInput(f"column {name}: a value is NaN; leave it out, or make it null")
        number = self._number(name, value, kind)
        return as_word(number) if kind == "float64" else number

    def _number(self, name: str, value, kind: str) -> int | float:
        """A value as its column's type holds it; refused where that would be another value."""
        low, high = (0, 1) if kind == "bool" else INT64
        is_number = isinstance(value, NUMBERS) and not isinstance(value, np.timedelta64)
        try:
            number = (float(value) if kind == "float64" else int(value)) if is_number else None
        except (ValueError, OverflowError):
            number = None
        if number is None or number != value or (kind != "float64" and not low <= number <= high):
            raise BadInput(
                f"column {name}: {value!r} is no {kind}; give column_types={{{name!r}: …}} with one of "
                f"{', '.join(TYPES)} that holds it"
            )
        return number

    @staticmethod
    def value(word: int, kind: str) -> int | float | bool:
        if kind == "float64":
            return as_float(word)
        return bool(word) if kind == "bool" else word


def require_values(name: str, given: object) -> None:
    """WrongParameter for what has no elements, doesn't know how many, or masks some."""
    if type(given) in (list, np.ndarray):  # what is asked for each event
        return
    refuse_masked(name, given)
    if not (hasattr(given, "__len__") and hasattr(given, "__iter__")):
        raise WrongParameter(name, given, "a list, or an array of NumPy")


def _is_column(cells: Sequence, kind: type) -> bool:
    return type(cells) is np.ndarray and cells.dtype == kind and cells.ndim == 1
