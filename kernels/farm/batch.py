"""What tuples must be that a farm takes; each failure names the value and the row."""

from typing import NamedTuple

import numpy as np

from kernels.columns import LIMIT_US, check_times, floats, integers
from kernels.farm.columns import NamedColumns
from kernels.farm.functions import function
from kernels.farm.functions._function import HeavyFunction
from kernels.farm.layout import TupleBatch
from schemas.errors import BadInput, WrongParameter

ANY_TIME = (-LIMIT_US, LIMIT_US)


class TupleLimits(NamedTuple):
    """columns: what there is of each tuple; keys: how many there are; span_us: least and greatest event time."""

    columns: NamedColumns
    keys: int
    span_us: tuple[int, int]


def batch_of(limits: TupleLimits, times_us: object, values: object, keys: object) -> TupleBatch:
    """Tuples as compiled functions take them; key 0 unless given. Raises WrongParameter, BadInput."""
    times = integers("times_us", times_us)
    _check_span(times, limits.span_us)
    columns = floats("values", values)
    names, count = limits.columns.names, len(times)
    if columns.shape != (len(names), count):
        raise WrongParameter("values", columns.shape, f"{len(names)} columns of {count} values")
    of_key = np.zeros(count, np.int64) if keys is None else _keys(keys, count, limits.keys)
    check_values(columns, names)
    order = limits.columns.order
    kept = columns if order == tuple(range(len(names))) else np.ascontiguousarray(columns[list(order)])
    return TupleBatch.make(keys=of_key, times=times, values=kept, count=count)


def require_columns(name: str | HeavyFunction, columns: np.ndarray, count: int) -> None:
    """WrongParameter unless there are as many columns as a function reads, each with so many values."""
    takes = function(name).columns
    least = len(takes) - len(function(name).optional)
    if columns.shape[1] != count or not least <= len(columns) <= len(takes):
        raise WrongParameter("values", columns.shape, f"{least} to {len(takes)} columns of {count} values")


def check_values(columns: np.ndarray, names: tuple[str, ...]) -> None:
    """BadInput for NaN."""
    if np.isnan(columns).any():
        column, row = np.argwhere(np.isnan(columns))[0].tolist()
        raise BadInput(f"row {row} has NaN in {names[column]}; leave such tuples out, they have no value")


def _check_span(times: np.ndarray, span_us: tuple[int, int]) -> None:
    check_times("event time", "row", times)
    least, greatest = span_us
    if len(times) and not least <= times.min() <= times.max() <= greatest:
        row = int(np.flatnonzero((times < least) | (times > greatest))[0])
        where = f"event time of row {row} is {int(times[row])} µs"
        raise BadInput(f"{where}; allowed: {least} to {greatest}, the farm's span_us. Make one with a longer span")


def _keys(given: object, count: int, most: int) -> np.ndarray:
    keys = integers("keys", given)
    allowed = f"{count} numbers from 0 to {most - 1}"
    if len(keys) != count:
        raise WrongParameter("keys", f"{len(keys)} numbers", allowed)
    wrong = np.flatnonzero((keys < 0) | (keys >= most))
    if len(wrong):
        raise WrongParameter("keys", int(keys[wrong[0]]), f"{allowed}; this is row {int(wrong[0])}")
    return keys
