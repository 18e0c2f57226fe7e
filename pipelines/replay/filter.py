"""Which events a query counts. Its `where` on Arrow columns: all conditions must hold; a comparison with null is false.

Numbers and times are compared exactly, whatever the column's type: an int64 with 1.5, a float64 with 2**53 + 1, seconds
with microseconds. So a limit is first moved to the nearest value that the column's type can hold.
"""

import math
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from windrow.pipelines.rows.arrays import decoded, stored, valid
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import listed
from windrow.schemas.validation import is_day, is_instant, is_number, is_text

# As both NumPy and Arrow call them.
_NAMES = {"==": "equal", "!=": "not_equal", "<": "less", "<=": "less_equal", ">": "greater", ">=": "greater_equal"}
_US_IN_UNIT: dict[str, int | Fraction] = {"s": 1_000_000, "ms": 1_000, "us": 1, "ns": Fraction(1, 1_000)}
_DAY_MS = 86_400_000
_TEXTS = (pa.string(), pa.large_string(), pa.string_view())
_EPOCH = datetime(1970, 1, 1)


def rows_that_pass(events: pa.Table, where: tuple[tuple[str, str, object], ...]) -> np.ndarray:
    """bool[rows]: True where every condition holds. WrongParameter for a value of another type."""
    masks = (_mask(decoded(events[name]), name, operator, value) for name, operator, value in where)
    return reduce(np.logical_and, masks, np.ones(events.num_rows, dtype=bool))


def _mask(column: pa.ChunkedArray, name: str, operator: str, value: object) -> np.ndarray:
    present = valid(column)
    if operator in ("is_null", "not_null"):
        return present == (operator == "not_null")
    if operator == "in":
        equal = (_compare(column, name, "==", each) for each in listed(value))
        return reduce(np.logical_or, equal, np.zeros_like(present))
    if operator == "not_in":
        return reduce(np.logical_and, (_compare(column, name, "!=", each) for each in listed(value)), present)
    return _compare(column, name, operator, value)


def _compare(column: pa.ChunkedArray, name: str, operator: str, value: object) -> np.ndarray:
    compare = next((compare for holds, fits, compare in _COMPARABLE if holds(column.type) and fits(value)), None)
    if value is None or types.is_null(column.type):
        return np.zeros(len(column), dtype=bool)
    if compare is None:
        raise WrongParameter(
            "where",
            (name, operator, value),
            f"None, or a value that can be compared with column {name!r} of type {column.type}",
        )
    return compare(column, operator, value) & valid(column)


def _compare_bytes(column: pa.ChunkedArray, operator: str, value: str | bytes) -> np.ndarray:
    compare = getattr(pc, _NAMES[operator])
    plain = column.cast(pa.large_string() if isinstance(value, str) else pa.large_binary())
    return np.asarray(pc.fill_null(compare(plain, pa.scalar(value, plain.type)), False))


def _compare_floats(column: pa.ChunkedArray, operator: str, value: float) -> np.ndarray:
    try:
        nearest = float(value)
    except OverflowError:
        nearest = math.inf if value > 0 else -math.inf
    return _apply(stored(column.cast(pa.float64())), operator, value, nearest)


def _compare_integers(column: pa.ChunkedArray, operator: str, value: float | Fraction) -> np.ndarray:
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


def _compare_days(column: pa.ChunkedArray, operator: str, value: date) -> np.ndarray:
    days = (value - _EPOCH.date()).days
    return _compare_integers(column, operator, days if types.is_date32(column.type) else days * _DAY_MS)


def _compare_times(column: pa.ChunkedArray, operator: str, value: datetime | time | timedelta) -> np.ndarray:
    return _compare_integers(column, operator, _micros(value) / _US_IN_UNIT[column.type.unit])


def _micros(value: datetime | time | timedelta) -> Fraction:
    # pandas' times and durations have nanoseconds, which the division below cuts off.
    beyond_ns = getattr(value, "nanosecond", 0) + getattr(value, "nanoseconds", 0)
    if isinstance(value, time):
        value = datetime.combine(_EPOCH, value)
    if isinstance(value, datetime):
        value = (value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value) - _EPOCH
    return value // timedelta(microseconds=1) + Fraction(beyond_ns, 1_000)


def _timestamp(aware: bool) -> Callable[[pa.DataType], bool]:
    return lambda type_: types.is_timestamp(type_) and (type_.tz is not None) == aware


def _is_bytes(type_: pa.DataType) -> bool:
    return types.is_fixed_size_binary(type_) or type_ in (pa.binary(), pa.large_binary())


# Any: a comparison takes values of the types that stand next to it.
_Comparison = Callable[[pa.ChunkedArray, str, Any], np.ndarray]
_COMPARABLE: tuple[tuple[Callable[[pa.DataType], bool], Callable[[object], bool], _Comparison], ...] = (
    # (column type, value, comparison); a bool is no number, a datetime is no date, and a time with a zone no time
    # without one
    (types.is_boolean, lambda value: isinstance(value, (bool, np.bool_)), _compare_integers),
    (types.is_integer, is_number, _compare_integers),
    (types.is_floating, is_number, _compare_floats),
    (_TEXTS.__contains__, is_text, _compare_bytes),
    (_is_bytes, lambda value: isinstance(value, bytes), _compare_bytes),
    (types.is_date, is_day, _compare_days),
    (_timestamp(aware=True), is_instant, _compare_times),
    (_timestamp(aware=False), lambda value: isinstance(value, datetime) and not value.tzinfo, _compare_times),
    (types.is_time, lambda value: isinstance(value, time) and value.tzinfo is None, _compare_times),
    (types.is_duration, lambda value: isinstance(value, timedelta), _compare_times),
)
