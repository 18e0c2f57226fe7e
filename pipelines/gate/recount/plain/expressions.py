"""A query's expressions in plain Python, of one event: None is null, and unknown."""

import operator
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from windrow.pipelines.gate.recount.plain.ticks import to_us
from windrow.schemas.expressions import (
    AllOf,
    AnyOf,
    Arithmetic,
    ColumnValue,
    ComparedValues,
    Constant,
    Expression,
    IsNull,
    Not,
)

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def evaluate(expression: Expression, row: Mapping[str, Any]) -> Any:
    """The value of an event. Times may be µs or datetimes."""
    parts = [evaluate(part, row) for part in expression.parts]
    match expression:
        case ColumnValue(name):
            return row[name]
        case Constant(value):
            return value
        case IsNull():
            return parts[0] is None
        case AllOf():
            return _all_of(parts)
        case AnyOf():
            return _not(_all_of([_not(part) for part in parts]))
        case Not():
            return _not(parts[0])
        case _ if None in parts:
            return None
        case Arithmetic(_, "/", _):
            return float(parts[0]) / float(parts[1]) if parts[1] else None
        case Arithmetic(_, sign, _):
            return _ARITHMETIC[sign](*parts)
        case ComparedValues(_, sign, _):
            return _COMPARISONS[sign](*(to_us(part) if isinstance(part, datetime) else part for part in parts))
    raise AssertionError(f"{expression!r} is no expression")


def _all_of(parts: list[bool | None]) -> bool | None:
    return False if False in parts else None if None in parts else True


def _not(part: bool | None) -> bool | None:
    return None if part is None else not part
