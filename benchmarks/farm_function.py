"""A heavy function without the farm around it: called by address for one window after another, on one thread.

Windows are parts of two arrays, as if a buffer held all tuples in one piece. What is left out is what the farm does
also: taking tuples into chunks, handing out windows to threads, giving results in order.
"""

from typing import NamedTuple

import numba
import numpy as np

from windrow.kernels.farm.content import TupleStretch, WindowContent
from windrow.kernels.farm.functions import HeavyOperations, function, operations, parameter_values
from windrow.kernels.runtime.memory import address_of


class Windows(NamedTuple):
    """Tuples lows[i] to highs[i] of one column, of windows that begin at starts_us[i]."""

    times_us: np.ndarray
    values: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    starts_us: np.ndarray


def compute_each(name: str, windows: Windows, **parameters: object) -> np.ndarray:
    """The outputs of each window."""
    times_us, values, lows, highs, starts_us = windows
    given, made = np.array(parameter_values(name, parameters), np.float64), function(name)
    per_tuple, more = made.scratch(tuple(given))
    stretch = TupleStretch.make(stride=len(values))
    content = WindowContent.make(
        columns=1,
        stretch_count=1,
        stretches=stretch,
        scratch=np.empty(per_tuple * int((highs - lows).max()) + more),
        parameters=given,
        parameter_count=len(given),
        stop=np.zeros(1, np.int64),
    )
    results = np.full((len(lows), len(made.outputs(tuple(given)))), np.nan)
    tuples, bounds = (times_us, values), (lows, highs, starts_us)
    _call_each(operations(name).address, content.address, _addresses(tuples), bounds, _addresses((results,)), results)
    return results


def _addresses(arrays: tuple[np.ndarray, ...]) -> tuple[int, ...]:
    return tuple(address_of(each) for each in arrays)


@numba.njit(nogil=True, error_model="numpy")
def _call_each(function_at, content_at, tuples, windows, outputs, results):
    heavy, content, (times, values), (lows, highs, starts) = (
        HeavyOperations(function_at),
        WindowContent(content_at),
        tuples,
        windows,
    )
    stretch = content.stretches[0]
    for i in range(len(lows)):
        stretch.times, stretch.values = times + 8 * lows[i], values + 8 * lows[i]
        content.count = stretch.count = highs[i] - lows[i]
        content.start, content.end = starts[i], starts[i] + 1
        heavy.compute(content.address, outputs[0] + 8 * i * results.shape[1])
