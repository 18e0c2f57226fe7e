"""Expressions over the columns of an event, as trees; schemas/expression_text.py makes them of texts in SQL.

    member AND a + b > 600     AllOf((member, ComparedValues(Arithmetic(a, "+", b), ">", Constant(600))))

Logic has SQL's three values: a comparison with null is null, and a filter holds where it is true. Integers are int64;
one that leaves int64 is an error. An arithmetic of a float is float64, and so is `/`; a division by zero is null.
Comparisons are of the exact values, whatever the types of numbers.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from numbers import Integral, Real

NUMBERS = ("int64", "float64")
_SIGNS = {"==": "=", "!=": "<>"}
INT64 = (-(2**63), 2**63 - 1)
Types = Mapping[str, str | None]
"""By column the type of its values; None of one that holds only nulls. Of types that no table has, what is said of
them."""


@dataclass(frozen=True)
class Expression:
    """The root of all kinds. Their `str` is SQL with all brackets."""

    @property
    def parts(self) -> tuple["Expression", ...]:
        """The expressions that it is made of."""
        return ()

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that it reads, each once, in order."""
        return _once(name for part in self.parts for name in part.columns)

    def type_in(self, types: Types) -> str | None:
        """The type of its values; None where all are null. TypeError says what doesn't fit."""
        for part in self.parts:
            _require_truth(part, types)
        return "bool"


@dataclass(frozen=True)
class ColumnValue(Expression):
    """What a column holds."""

    name: str

    def __str__(self) -> str:
        return self.name

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.name,)

    def type_in(self, types: Types) -> str | None:
        return types[self.name]


@dataclass(frozen=True)
class Constant(Expression):
    """A value of Python; None is NULL."""

    value: object

    def __str__(self) -> str:
        words = {None: "NULL", True: "TRUE", False: "FALSE"}
        if self.value is None or isinstance(self.value, bool):
            return words[self.value]
        if isinstance(self.value, str):
            return "'" + self.value.replace("'", "''") + "'"
        word = "TIMESTAMP " if isinstance(self.value, datetime) else "DATE " if isinstance(self.value, date) else ""
        return f"{word}'{self.value}'" if word else repr(self.value)

    def type_in(self, types: Types) -> str | None:
        return type_of_value(self.value)


@dataclass(frozen=True)
class Arithmetic(Expression):
    """Two numbers with one of + - * / between them."""

    left: Expression
    operator: str
    right: Expression

    def __str__(self) -> str:
        return f"({self.left} {self.operator} {self.right})"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.left, self.right)

    def type_in(self, types: Types) -> str | None:
        found = [part.type_in(types) for part in self.parts]
        for part, type_ in zip(self.parts, found, strict=True):
            if type_ not in (*NUMBERS, None):
                raise TypeError(f"numbers on both sides of {self.operator}: {_named(part, type_)}")
        return "float64" if self.operator == "/" or "float64" in found else "int64"


@dataclass(frozen=True)
class ComparedValues(Expression):
    """Two values with one of == != < <= > >= between them."""

    left: Expression
    operator: str
    right: Expression

    def __str__(self) -> str:
        return f"({self.left} {_SIGNS.get(self.operator, self.operator)} {self.right})"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.left, self.right)

    def type_in(self, types: Types) -> str | None:
        left, right = (part.type_in(types) for part in self.parts)
        if None not in (left, right) and left != right and not {left, right} <= {*NUMBERS}:
            sides = f"{_named(self.left, left)}, {_named(self.right, right)}"
            sign = _SIGNS.get(self.operator, self.operator)
            raise TypeError(f"NULL, or values of one type, on both sides of {sign}: {sides}")
        return "bool"


@dataclass(frozen=True)
class IsNull(Expression):
    """Whether a value is null: this is never null."""

    of: Expression

    def __str__(self) -> str:
        return f"({self.of} IS NULL)"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.of,)

    def type_in(self, types: Types) -> str | None:
        self.of.type_in(types)
        return "bool"


@dataclass(frozen=True)
class Not(Expression):
    """True where a condition is false."""

    of: Expression

    def __str__(self) -> str:
        return f"(NOT {self.of})"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return (self.of,)


@dataclass(frozen=True)
class AllOf(Expression):
    """Conditions with AND between them; of none, true."""

    conditions: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"({' AND '.join(map(str, self.conditions))})" if self.conditions else "TRUE"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.conditions


@dataclass(frozen=True)
class AnyOf(Expression):
    """Conditions with OR between them; of none, false."""

    conditions: tuple[Expression, ...]

    def __str__(self) -> str:
        return f"({' OR '.join(map(str, self.conditions))})" if self.conditions else "FALSE"

    @property
    def parts(self) -> tuple[Expression, ...]:
        return self.conditions


def one_of(of: Expression, values: Iterable[Expression]) -> AnyOf:
    """Whether a value equals one of others."""
    return AnyOf(tuple(ComparedValues(of, "==", value) for value in values))


def of_triple(column: str, operator: str, value: object) -> Expression:
    """The condition that a triple of Query.where is: a list of no values holds of every value that isn't null with
    `not_in`, and of none with `in`."""
    of = ColumnValue(column)
    if operator in ("is_null", "not_null"):
        return IsNull(of) if operator == "is_null" else Not(IsNull(of))
    if operator not in ("in", "not_in"):
        return ComparedValues(of, operator, Constant(value))
    assert isinstance(value, Iterable), "Query refuses other values"
    among = one_of(of, map(Constant, value))
    return among if operator == "in" else AllOf((Not(IsNull(of)), Not(among)))


def type_of_value(value: object) -> str | None:
    """The type of a column that a value of Python can be compared with; of a value that fits none, what it is."""
    if value is None:
        return None
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):  # NumPy's
        return "bool"
    if isinstance(value, Real):
        return "NaN" if value != value else "int64" if isinstance(value, Integral) else "float64"
    if isinstance(value, (datetime, time)) and value.tzinfo is None:
        return f"{'datetime' if isinstance(value, datetime) else 'time'} without a zone"
    found = (name for kinds, name in _OF_CLASSES.items() if isinstance(value, kinds))
    return next(found, type(value).__name__)


# A datetime is a date of Python's, too: so it is asked first.
_OF_CLASSES = {str: "string", bytes: "binary", datetime: "timestamp", date: "date", timedelta: "duration"}


def _require_truth(part: Expression, types: Types) -> None:
    type_ = part.type_in(types)
    if type_ not in ("bool", None):
        raise TypeError(f"something true or false: {_named(part, type_)}")


def _named(part: Expression, type_: str | None) -> str:
    what = f"column {part.name!r}" if isinstance(part, ColumnValue) else str(part)
    return f"{what} of type {type_ or 'null'}"


def _once(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
