"""A heavy function on one window whose tuples are given whole: for tests of a function, and for trying one."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from windrow.kernels.columns import checked_times, floats
from windrow.kernels.farm.content import OUTPUTS_LOST, STATUSES, TupleStretch, WindowContent
from windrow.kernels.farm.functions import HeavyFunction, function, operations, parameter_values, require_function
from windrow.kernels.farm.options import check_tuples, check_values
from windrow.kernels.runtime.memory import address_of


class Computed(NamedTuple):
    """status: in words if it is one of STATUSES; outputs: by name, NaN where there is none."""

    status: str
    outputs: dict[str, float]


def status_text(status: int) -> str:
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
    times, columns, made = checked_times("event time", "row", times_us), floats("values", values), function(name)
    check_tuples(name, times, columns, (), "it")
    check_values(columns, made.columns)
    count, names = len(times), made.outputs(tuple(given))
    per_tuple, more = made.scratch(tuple(given))
    start_us, end_us = bounds_us or ((int(times[0]), int(times[-1]) + 1) if count else (0, 0))
    room = {"scratch": np.full(per_tuple * count + more + 1, np.nan), "stop": np.zeros(1, np.int64)}
    tuples = {"count": count, "columns": len(columns), "stretch_count": min(count, 1), "start": start_us, "end": end_us}
    stretch = TupleStretch.make(count=count, times=times, values=columns, stride=count)
    of_function = {"parameters": given, "parameter_count": len(given)}
    content = WindowContent.make(**tuples, stretches=stretch, **of_function, **room)
    result = np.full(len(names), np.nan)
    status = operations(name).compute(content.address, address_of(result))
    if status in OUTPUTS_LOST:
        result[:] = np.nan
    return Computed(status_text(status), dict(zip(names, result.tolist(), strict=True)))
