"""What a query or a feature set asks of events: a function over columns or expressions, with a filter of its own.

agg("count")
agg("mean", "trip_duration_s")
agg("sum", "uplink_bytes + downlink_bytes", where="user_type = 'member'")
"""

from dataclasses import dataclass
from typing import NamedTuple

from windrow.schemas.expression_text import parse, text_of_column, value_of
from windrow.schemas.expressions import AllOf, Expression
from windrow.schemas.windows import require, require_column, require_number

ANY_NUMBER = "1"


class AggregatedValue(NamedTuple):
    """What an aggregate reads of an event: a column or an expression, of the events for which `where` is true."""

    value: str
    where: str | None = None

    def __str__(self) -> str:
        return self.value if self.where is None else f"{self.value} where {self.where}"

    @classmethod
    def of_column(cls, name: str) -> "AggregatedValue":
        """A column as it is, whatever its name."""
        return cls(text_of_column(name))

    @property
    def expression(self) -> Expression:
        """Of its value."""
        return value_of(self.value)

    @property
    def condition(self) -> Expression:
        """Which events it is of."""
        return AllOf(()) if self.where is None else parse(self.where)

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that are read."""
        return tuple(dict.fromkeys((*self.expression.columns, *self.condition.columns)))


@dataclass(frozen=True)
class Aggregate:
    """A function over columns or expressions, such as `mean` of `trip_duration_s`; made by `agg`. where: a condition;
    events for which it isn't true are none of the aggregate's."""

    function: str
    columns: tuple[str, ...] = ()
    parameters: tuple[tuple[str, int | float | bool], ...] = ()
    where: str | None = None

    def __post_init__(self) -> None:
        require(isinstance(self.function, str), "function", self.function, "the name of an aggregate, such as 'sum'")
        for column in self.columns:
            require_column("column", column)
            value_of(column, f"column of {self.function}")
        for name, value in self.parameters:
            if not isinstance(value, bool):
                require_number(name, value)
        if self.where is not None:
            require(isinstance(self.where, str), "where", self.where, "a condition such as \"user_type = 'member'\"")
            parse(self.where)

    def __str__(self) -> str:
        """For people: its parameters are left out."""
        return f"{self.function}({', '.join(self.columns)})" + ("" if self.where is None else f" where {self.where}")

    def __repr__(self) -> str:
        # Of one without a filter as before there were any: days go on from a state of the same question.
        where = "" if self.where is None else f", where={self.where!r}"
        return f"Aggregate(function={self.function!r}, columns={self.columns!r}, parameters={self.parameters!r}{where})"

    @property
    def values(self) -> tuple[AggregatedValue, ...]:
        """What it reads of an event. With a filter and no column, a number: there where the filter is true."""
        read = self.columns or (() if self.where is None else (ANY_NUMBER,))
        return tuple(AggregatedValue(column, self.where) for column in read)

    @property
    def read_columns(self) -> tuple[str, ...]:
        """The columns that its values are made of."""
        return tuple(dict.fromkeys(column for value in self.values for column in value.columns))


def agg(function: str, *columns: str, where: str | None = None, **parameters: int | float | bool) -> Aggregate:
    """An aggregate of a query: `agg("count")`, `agg("mean", "trip_duration_s")`, `agg("std", "value", ddof=0)`,
    `agg("sum", "uplink_bytes + downlink_bytes", where="user_type = 'member'")`."""
    return Aggregate(function, tuple(columns), tuple(sorted(parameters.items())), where)
