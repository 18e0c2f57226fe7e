"""A heavy function on one window whose tuples are given whole: for tests of a function, and for trying one."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kernels.columns import checked_times, floats
from kernels.farm.batch import check_values, require_columns
from kernels.farm.content import FIRST_OWN, OUTPUTS_LOST, STATUSES, TupleStretch, WindowContent
from kernels.farm.functions import function, operations, parameter_values, require_function
from kernels.farm.functions._function import HeavyFunction
from kernels.runtime.memory import address_of
from schemas.errors import BadInput


class Computed(NamedTuple):
    """What a function says of a window: a status, in words if it is one of STATUSES, and its outputs by name, NaN where
    it has none."""

    status: str
    outputs: dict[str, float]


def status_text(status: int) -> str:
    """A status in words."""
    return STATUSES[status] if 0 <= status < len(STATUSES) else f"status {status} of the function"


def compute_once(
    name: str | HeavyFunction,
    times_us: np.ndarray,
    values: np.ndarray,
    parameters: Mapping[str, object] | None = None,
    bounds_us: tuple[int, int] | None = None,
) -> Computed:
    """times_us: int64[tuples], never falling; values: float64[columns, tuples]; bounds_us: of the window, from the
    first tuple to behind the last unless given. Raises as `function` and `parameter_values`, and for columns or times
    that a farm would refuse."""
    require_function(name)
    given = np.array(parameter_values(name, {} if parameters is None else parameters), np.float64)
    times, columns = _checked(name, times_us, values)
    count, made = len(times), function(name)
    per_tuple, more = made.scratch(tuple(given))
    names = made.outputs(tuple(given))
    memory = {
        "scratch": np.full(per_tuple * count + more + 1, np.nan),
        "parameters": given,
        "stop": np.zeros(1, np.int64),
    }
    stretch = TupleStretch.make(count=count, times=times, values=columns, stride=count)
    start_us, end_us = bounds_us or ((int(times[0]), int(times[-1]) + 1) if count else (0, 0))
    content = WindowContent.make(
        count=count,
        columns=len(columns),
        stretch_count=1 if count else 0,
        stretches=stretch,
        parameter_count=len(given),
        start=start_us,
        end=end_us,
        **memory,
    )
    result = np.full(len(names), np.nan)
    status = operations(name).compute(content.address, address_of(result))
    if status in OUTPUTS_LOST:
        result[:] = np.nan
    return Computed(status_text(status), dict(zip(names, result.tolist(), strict=True)))


def _checked(name: str | HeavyFunction, times_us: object, values: object) -> tuple[np.ndarray, np.ndarray]:
    times, columns, takes = (
        checked_times("event time", "row", times_us),
        floats("values", values),
        function(name).columns,
    )
    require_columns(name, columns, len(times))
    check_values(columns, takes)
    falls = np.flatnonzero(np.diff(times) < 0)
    if len(falls):
        raise BadInput(f"at row {int(falls[0]) + 1} the event time falls; sort tuples by it")
    return times, columns


__all__ = ["FIRST_OWN", "Computed", "compute_once", "status_text"]
