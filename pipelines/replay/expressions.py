"""Expressions over Arrow columns, evaluated in NumPy: which events a query counts, and what its aggregates read.

uplink  downlink  user_type       uplink + downlink  where user_type = 'member'
     1         2  member                          3
     4      null  member                       null
  huge      huge  customer                     null     beyond int64, but its filter doesn't hold
"""

import operator
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import reduce
from typing import NamedTuple

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
    return np.asarray(pc.fill_null(_truth(condition, AskedRows(events)), False))


def column_of(events: pa.Table, value: AggregatedValue) -> ArrowColumn:
    """What an aggregate reads, null where its filter isn't true: what its expression gives there fails nothing."""
    if value.where is None:
        return evaluate(value.expression, AskedRows(events))
    passes = rows_that_pass(events, value.condition)
    found = evaluate(value.expression, AskedRows(events, passes))
    return pc.if_else(pa.array(passes), found, pa.scalar(None, found.type))


class AskedRows(NamedTuple):
    """Events, and of which of them there must be a value: all, or bool[rows]."""

    events: pa.Table
    asked: np.ndarray | None = None


def evaluate(expression: Expression, rows: AskedRows) -> ArrowColumn:
    """The value of each row, any of one that isn't asked; of a plain column that itself, without dictionary encoding.
    The types must fit (Expression.type_in). BadInput, which names the event, for a number beyond its type.
    O(rows · parts)."""
    match expression:
        case ColumnValue(name):
            return decoded(rows.events[name])
        case Constant(value):
            return _repeated(value, rows.events.num_rows)
        case Arithmetic():
            return _arithmetic(expression, rows)
        case ComparedValues(left, sign, Constant(value)):
            return compare(evaluate(left, rows), sign, value)
        case ComparedValues(Constant(value), sign, right):
            return compare(evaluate(right, rows), MIRRORED[sign], value)
        case ComparedValues(left, sign, right):
            return compare_columns(evaluate(left, rows), sign, evaluate(right, rows))
        case IsNull(of):
            return pc.is_null(evaluate(of, rows))
        case Not(of):
            return pc.invert(_truth(of, rows))
        case AllOf(conditions):
            return _joined(pc.and_kleene, conditions, rows, of_none=True)
        case AnyOf(conditions):
            return _joined(pc.or_kleene, conditions, rows, of_none=False)
    raise AssertionError(f"{expression!r} is no expression")


def _repeated(value: object, rows: int) -> pa.Array:
    if value is None:
        return pa.nulls(rows)
    type_ = pa.int64() if type(value) is int else TIME if isinstance(value, datetime) else None
    return pa.repeat(pa.scalar(value, type_), rows)


def _truth(condition: Expression, rows: AskedRows) -> ArrowColumn:
    return evaluate(condition, rows).cast(pa.bool_())  # NULL has a type of its own


def _joined(
    join: Callable[[ArrowColumn, ArrowColumn], ArrowColumn],
    conditions: Sequence[Expression],
    rows: AskedRows,
    of_none: bool,
) -> ArrowColumn:
    if not conditions:
        return pa.repeat(of_none, rows.events.num_rows)
    return reduce(join, (_truth(each, rows) for each in conditions))


def _arithmetic(asked: Arithmetic, rows: AskedRows) -> pa.Array:
    left, right = (evaluate(part, rows) for part in asked.parts)
    present = valid(left) & valid(right)
    if asked.operator != "/" and not types.is_floating(left.type) and not types.is_floating(right.type):
        numbers = [_integers(column, asked, rows) for column in (left, right)]
        found, is_beyond = _OF_INTEGERS[asked.operator](*numbers)
        _refuse(asked, rows, present & is_beyond, _BEYOND_INT64)
        return pa.array(found, mask=~present)
    one, other = (_floats(column) for column in (left, right))
    if asked.operator == "/":
        present &= other != 0
    with np.errstate(all="ignore"):
        quotient = _OF_FLOATS[asked.operator](one, other)
    _refuse(asked, rows, present & ~np.isfinite(quotient), _NO_NUMBER)
    return pa.array(quotient, mask=~present)


def _integers(column: ArrowColumn, asked: Arithmetic, rows: AskedRows) -> np.ndarray:
    if types.is_null(column.type):
        return np.zeros(len(column), np.int64)
    numbers = stored(column)
    if numbers.dtype == np.uint64:
        _refuse(asked, rows, numbers > np.uint64(2**63 - 1), _BEYOND_INT64)
    return numbers.astype(np.int64, copy=False)


def _floats(column: ArrowColumn) -> np.ndarray:
    if types.is_null(column.type):
        return np.zeros(len(column))
    return stored(column).astype(np.float64, copy=False)


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


def _refuse(asked: Arithmetic, rows: AskedRows, wrong: np.ndarray, why: str) -> None:
    wrong = wrong if rows.asked is None else wrong & rows.asked
    if wrong.any():
        place = [each for each in ("path", "line", "arrival", "seq") if each in rows.events.column_names]
        named = rows.events.select([*dict.fromkeys((*asked.columns, *place))])
        [values] = plain_rows(named.slice(int(wrong.argmax()), 1))
        event = ", ".join(f"{name} {value}" for name, value in values.items())
        raise BadInput(f"{asked} {why}, in the event with {event}")
