"""Expressions over Arrow columns, evaluated in NumPy: which events a query counts, and what its aggregates read.

uplink  downlink  user_type       uplink + downlink  where user_type = 'member'
     1         2  member                          3
     4      null  member                       null
  huge      huge  customer                     null     not evaluated: its filter doesn't hold
"""

import operator
from collections.abc import Callable, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from windrow.pipelines.replay.comparisons import compare, compare_columns
from windrow.pipelines.rows.arrays import TIME, ArrowColumn, decoded, expression_types, plain_rows, stored, valid
from windrow.schemas.errors import BadInput
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
from windrow.schemas.query import AggregatedValue, Query
from windrow.schemas.validation import require_condition

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_BEYOND_INT64 = "is beyond int64 (±9,223,372,036,854,775,807); make one of its numbers a float, as by * 1.0"
_NO_NUMBER = "is no finite float64; leave such events out by a filter"


def counted_rows(events: pa.Table, query: Query) -> np.ndarray:
    """bool[rows]: True where the query's `where` is true. WrongParameter for values of types that don't fit."""
    column_types = expression_types(events.schema)
    for given, condition in query.conditions:
        require_condition("where", given, condition, column_types)
    return rows_that_pass(events, query.condition)


def rows_that_pass(events: pa.Table, condition: Expression) -> np.ndarray:
    """bool[rows]: True where a condition is true, neither false nor null."""
    return np.asarray(pc.fill_null(_truth(condition, events), False))


def column_of(events: pa.Table, value: AggregatedValue) -> ArrowColumn:
    """What an aggregate reads, null where its filter isn't true; the expression is evaluated where that is."""
    if value.where is None:
        return evaluate(value.expression, events)
    passes = rows_that_pass(events, value.condition)
    found = evaluate(value.expression, events.filter(pa.array(passes)))
    return pc.take(found, pa.array(np.cumsum(passes) - 1, mask=~passes))


def evaluate(expression: Expression, events: pa.Table) -> ArrowColumn:
    """The value of each row; of a plain column that itself, without dictionary encoding. The types must fit
    (Expression.type_in). BadInput, which names the row, for a number beyond its type. O(rows · parts)."""
    match expression:
        case ColumnValue(name):
            return decoded(events[name])
        case Constant(value):
            return _repeated(value, events.num_rows)
        case Arithmetic():
            return _arithmetic(expression, events)
        case ComparedValues(left, sign, Constant(value)):
            return compare(evaluate(left, events), sign, value)
        case ComparedValues(Constant(value), sign, right):
            return compare(evaluate(right, events), MIRRORED[sign], value)
        case ComparedValues(left, sign, right):
            return compare_columns(evaluate(left, events), sign, evaluate(right, events))
        case IsNull(of):
            return pa.array(~valid(evaluate(of, events)))
        case Not(of):
            return pc.invert(_truth(of, events))
        case AllOf(conditions):
            return _joined(pc.and_kleene, conditions, events, of_none=True)
        case AnyOf(conditions):
            return _joined(pc.or_kleene, conditions, events, of_none=False)
    raise AssertionError(f"{expression!r} is no expression")


def _repeated(value: object, rows: int) -> pa.Array:
    if value is None:
        return pa.nulls(rows)
    type_ = pa.int64() if type(value) is int else TIME if hasattr(value, "tzinfo") else None
    return pa.repeat(pa.scalar(value, type_), rows)


def _truth(condition: Expression, events: pa.Table) -> ArrowColumn:
    return evaluate(condition, events).cast(pa.bool_())  # NULL has a type of its own


def _joined(
    join: Callable[[ArrowColumn, ArrowColumn], ArrowColumn],
    conditions: Sequence[Expression],
    events: pa.Table,
    of_none: bool,
) -> ArrowColumn:
    return reduce(join, (_truth(each, events) for each in conditions), pa.repeat(of_none, events.num_rows))


def _arithmetic(asked: Arithmetic, events: pa.Table) -> pa.Array:
    left, right = (evaluate(part, events) for part in asked.parts)
    present = valid(left) & valid(right)
    is_float = asked.operator == "/" or types.is_floating(left.type) or types.is_floating(right.type)
    if not is_float:
        numbers = [_integers(column, asked, events) for column in (left, right)]
        found, is_beyond = _OF_INTEGERS[asked.operator](*numbers)
        _refuse(asked, events, present & is_beyond, _BEYOND_INT64)
        return pa.array(found, mask=~present)
    one, other = (_floats(column) for column in (left, right))
    if asked.operator == "/":
        present &= other != 0
    with np.errstate(all="ignore"):
        found = _OF_FLOATS[asked.operator](one, other)
    _refuse(asked, events, present & ~np.isfinite(found), _NO_NUMBER)
    return pa.array(found, mask=~present)


def _integers(column: ArrowColumn, asked: Arithmetic, events: pa.Table) -> np.ndarray:
    if types.is_null(column.type):
        return np.zeros(len(column), np.int64)
    numbers = stored(column)
    if numbers.dtype == np.uint64:
        _refuse(asked, events, numbers > np.uint64(2**63 - 1), _BEYOND_INT64)
    return numbers.astype(np.int64)


def _floats(column: ArrowColumn) -> np.ndarray:
    if types.is_null(column.type):
        return np.zeros(len(column))
    return stored(column).astype(np.float64)


def _added(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sum, which may have wrapped, and whether it has: then its sign is neither's."""
    found = left + right
    return found, (left ^ found) & (right ^ found) < 0


def _subtracted(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = left - right
    return found, (left ^ right) & (left ^ found) < 0


def _multiplied(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    found = left * right
    greatest = [max(-int(each.min(initial=0)), int(each.max(initial=0))) for each in (left, right)]
    if greatest[0] * greatest[1] < 2**63:
        return found, np.zeros(len(found), bool)
    divisor = np.where(left == 0, 1, left)
    wraps = (left == -1) & (right == np.iinfo(np.int64).min)
    with np.errstate(over="ignore"):
        return found, wraps | ((left != 0) & (found // divisor != right))


_OF_INTEGERS = {"+": _added, "-": _subtracted, "*": _multiplied}
_OF_FLOATS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def _refuse(asked: Arithmetic, events: pa.Table, wrong: np.ndarray, why: str) -> None:
    if wrong.any():
        row = int(wrong.argmax())
        place = [each for each in ("path", "line", "arrival", "seq") if each in events.column_names]
        [values] = plain_rows(events.select([*dict.fromkeys((*asked.columns, *place))]).slice(row, 1))
        event = ", ".join(f"{name} {value}" for name, value in values.items())
        raise BadInput(f"{asked} {why}, in the event with {event}")
