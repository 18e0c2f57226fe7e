"""Exact comparisons of Arrow columns, with a value and with each other: null where either is.

Numbers and times are compared exactly, whatever the column's type: an int64 with 1.5, a float64 with 2**53 + 1, seconds
with microseconds. So a value is first moved to the nearest one that the column's type can hold; of two columns an
integer is compared with a float by its nearest float, and where that is the same, as an integer.
"""

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from windrow.pipelines.rows.arrays import ArrowColumn, stored, valid

# As both NumPy and Arrow call them.
_NAMES = {"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
_NS_IN_UNIT = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
_SECOND_NS = _NS_IN_UNIT["s"]
_DAY_MS = 86_400_000
_EPOCH = datetime(1970, 1, 1)


def compare(column: ArrowColumn, operator: str, value: Any) -> ArrowColumn:
    """bool[rows] of a column and a value of a type that fits it (schemas/expressions.py)."""
    if value is None or types.is_null(column.type):
        return pa.nulls(len(column), pa.bool_())
    if _is_bytes(column.type):
        return _compare_bytes(column, operator, value)
    made = next(made for is_of, made in _WITH_VALUE if is_of(column.type))
    return pa.array(made(column, operator, value), mask=~valid(column) if column.null_count else None)


def compare_columns(left: ArrowColumn, operator: str, right: ArrowColumn) -> pa.Array:
    """bool[rows] of two columns of types that fit each other."""
    if types.is_null(left.type) or types.is_null(right.type):
        return pa.nulls(len(left), pa.bool_())
    order = next(order for is_of, order in _ORDERS if is_of(left.type))
    found = getattr(np, _NAMES[operator])(order(left, right), 0)
    return pa.array(found, mask=~(valid(left) & valid(right)))


def _compare_bytes(column: ArrowColumn, operator: str, value: str | bytes) -> ArrowColumn:
    compare = getattr(pc, _NAMES[operator])
    plain = column.cast(pa.large_string() if isinstance(value, str) else pa.large_binary())
    return compare(plain, pa.scalar(value, plain.type))


def _compare_floats(column: ArrowColumn, operator: str, value: float) -> np.ndarray:
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf if value > 0 else -math.inf
    return _apply(stored(column.cast(pa.float64())), operator, value, nearest)


def _compare_integers(column: ArrowColumn, operator: str, value: float | Fraction) -> np.ndarray:
    if types.is_boolean(column.type):
        column, value = column.cast(pa.uint8()), int(value)
    numbers = stored(column)
    limits = np.iinfo(numbers.dtype)
    if value > limits.max or value < limits.min:
        inside = (operator[0] == "<") == (value > 0)  # every number of the type lies on one side of the value
        return np.full(len(numbers), operator == "!=" or (inside and operator != "=="))
    return _apply(numbers, operator, value, math.floor(value))


def _apply(numbers: np.ndarray, operator: str, value: float | Fraction, nearest: float) -> np.ndarray:
    """Compare with the nearest value that the type holds: no value lies between the two."""
    if nearest == value:
        return getattr(np, _NAMES[operator])(numbers, nearest)
    if operator in ("==", "!="):
        return np.full(len(numbers), operator == "!=")
    below = nearest < value
    moved = {"<": "<=" if below else "<", ">": ">" if below else ">="}[operator[0]]
    return getattr(np, _NAMES[moved])(numbers, nearest)


def _compare_days(column: ArrowColumn, operator: str, value: date) -> np.ndarray:
    days = (value - _EPOCH.date()).days
    return _compare_integers(column, operator, days if types.is_date32(column.type) else days * _DAY_MS)


def _compare_times(column: ArrowColumn, operator: str, value: datetime | time | timedelta) -> np.ndarray:
    return _compare_integers(column, operator, Fraction(_ns(value), _NS_IN_UNIT[column.type.unit]))


def _ns(value: datetime | time | timedelta) -> int:
    # pandas' times and durations have nanoseconds, which the division below cuts off.
    beyond_us = getattr(value, "nanosecond", 0) + getattr(value, "nanoseconds", 0)
    if isinstance(value, time):
        value = datetime.combine(_EPOCH, value)
    if isinstance(value, datetime):
        value = (value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value) - _EPOCH
    return value // timedelta(microseconds=1) * 1_000 + beyond_us


def _signs(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """−1, 0 or 1: how the left one lies to the right one."""
    return (left > right).astype(np.int8) - (left < right)


def _order_bytes(left: ArrowColumn, right: ArrowColumn) -> np.ndarray:
    plain = pa.large_string() if pa.types.is_large_string(left.type) or left.type in _TEXTS else pa.large_binary()
    left, right = left.cast(plain), right.cast(plain)
    above, below = (np.asarray(pc.fill_null(compare(left, right), False)) for compare in (pc.greater, pc.less))
    return above.astype(np.int8) - below


def _order_numbers(left: ArrowColumn, right: ArrowColumn) -> np.ndarray:
    one, other = (_numbers(column) for column in (left, right))
    if (one.dtype == np.float64) == (other.dtype == np.float64):
        return _signs(one, other)
    return _order_mixed(one, other) if other.dtype == np.float64 else -_order_mixed(other, one)


def _numbers(column: ArrowColumn) -> np.ndarray:
    if types.is_boolean(column.type):
        return stored(column.cast(pa.uint8()))
    return stored(column.cast(pa.float64()) if types.is_floating(column.type) else column)


def _order_mixed(integers: np.ndarray, floats: np.ndarray) -> np.ndarray:
    rounded = integers.astype(np.float64)
    is_same = rounded == floats
    # Of integers that were rounded up to it: no int64 is 2**63.
    is_above = is_same & (floats >= 2.0 ** (64 if integers.dtype == np.uint64 else 63))
    whole = np.where(is_same & ~is_above, floats, 0.0).astype(integers.dtype)
    exact = np.where(is_above, -1, _signs(integers, whole))
    return np.where(is_same, exact, _signs(rounded, floats))


def _order_days(left: ArrowColumn, right: ArrowColumn) -> np.ndarray:
    days = [stored(each) if types.is_date32(each.type) else stored(each) // _DAY_MS for each in (left, right)]
    return _signs(*days)


def _order_times(left: ArrowColumn, right: ArrowColumn) -> np.ndarray:
    """By whole seconds, and by what is left: nanoseconds of all units may be beyond int64."""
    (whole, rest), (other_whole, other_rest) = (_seconds_and_ns(column) for column in (left, right))
    return np.where(whole == other_whole, _signs(rest, other_rest), _signs(whole, other_whole))


def _seconds_and_ns(column: ArrowColumn) -> tuple[np.ndarray, np.ndarray]:
    ns = _NS_IN_UNIT[column.type.unit]
    seconds, units = np.divmod(stored(column).astype(np.int64), _SECOND_NS // ns)
    return seconds, units * ns


_TEXTS = (pa.string(), pa.large_string(), pa.string_view())


def _is_bytes(type_: pa.DataType) -> bool:
    return type_ in (*_TEXTS, pa.binary(), pa.large_binary()) or types.is_fixed_size_binary(type_)


def _is_time(type_: pa.DataType) -> bool:
    return types.is_timestamp(type_) or types.is_time(type_) or types.is_duration(type_)


def _is_whole(type_: pa.DataType) -> bool:
    return types.is_integer(type_) or types.is_boolean(type_)


def _is_number(type_: pa.DataType) -> bool:
    return types.is_floating(type_) or _is_whole(type_)


_IsOf = Callable[[pa.DataType], bool]
# Any: a comparison takes values that fit the column's type.
_WITH_VALUE: tuple[tuple[_IsOf, Callable[[ArrowColumn, str, Any], np.ndarray]], ...] = (
    (_is_whole, _compare_integers),
    (types.is_floating, _compare_floats),
    (types.is_date, _compare_days),
    (_is_time, _compare_times),
)
_ORDERS: tuple[tuple[_IsOf, Callable[[ArrowColumn, ArrowColumn], np.ndarray]], ...] = (
    (_is_number, _order_numbers),
    (_is_bytes, _order_bytes),
    (types.is_date, _order_days),
    (_is_time, _order_times),
)
