"""What tuples must be that a farm takes; each failure names the value and the row."""

from typing import NamedTuple

import numpy as np

from kernels.columns import LIMIT_US, check_times
from kernels.farm.columns import NamedColumns
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
    columns = floats(values)
    names, count = limits.columns.names, len(times)
    if columns.shape != (len(names), count):
        raise WrongParameter("values", columns.shape, f"{len(names)} columns of {count} values")
    of_key = np.zeros(count, np.int64) if keys is None else _keys(keys, count, limits.keys)
    check_values(columns, names)
    order = limits.columns.order
    kept = columns if order == tuple(range(len(names))) else np.ascontiguousarray(columns[list(order)])
    return TupleBatch.make(keys=of_key, times=times, values=kept, count=count)


def integers(name: str, given: object) -> np.ndarray:
    """int64, in one dimension. WrongParameter for what would lose something by becoming so."""
    array = np.asarray(given)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu") or array.dtype == np.uint64:
        what = f"{array.dtype} of shape {array.shape}"
        raise WrongParameter(name, what, "int64 in one dimension; make datetime64 so by astype('datetime64[us]')")
    return np.ascontiguousarray(array, np.int64)


def floats(given: object) -> np.ndarray:
    """float64[columns, tuples]. WrongParameter for what are no real numbers."""
    array = np.atleast_2d(np.asarray(given))
    if array.size and array.dtype.kind not in "biuf":
        raise WrongParameter("values", f"{array.dtype} of shape {array.shape}", "float64[columns, tuples]")
    return np.ascontiguousarray(array, np.float64)


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
