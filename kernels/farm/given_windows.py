"""A farm over windows whose tuples are all here, as a replay has them: `compute_windows`.

Descriptors go out as far as the ring has room, workers take them on demand, and results come back in the order of the
windows, bit for bit those of the serial run, whatever the number of workers (FARM §5.4 without its emitter's buffer).
"""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from windrow.kernels.columns import checked_offsets, checked_times, floats, integers, require_kind, truths
from windrow.kernels.farm.functions import HeavyFunction, require_function
from windrow.kernels.farm.layout import TO_BE_TAKEN, Descriptor, SortedTuples
from windrow.kernels.farm.memory import FarmMemory, farm_calls
from windrow.kernels.farm.options import MOST_BYTES, check_tuples, workers_of
from windrow.kernels.farm.results import Metrics, Results, metrics_of
from windrow.kernels.farm.running import A_QUARTER, ALL, RunningFarm
from windrow.kernels.runtime.memory import WORD_BYTES
from windrow.schemas.errors import TooManySeconds, WrongParameter
from windrow.schemas.replay_limits import require_seconds

MOST_RING = 1 << 14
SECONDS_A_WINDOW = 60.0


class TuplesOfKeys(NamedTuple):
    """By key and event time. offsets: int64[keys + 1]; times_us, arrivals_us, closed_us: int64[tuples], windows that
    end by the last were closed when the tuple came; has_value: bool[tuples]; values: float64[columns, tuples]."""

    offsets: np.ndarray
    times_us: np.ndarray
    arrivals_us: np.ndarray
    closed_us: np.ndarray
    has_value: np.ndarray
    values: np.ndarray

    @property
    def held_bytes(self) -> int:
        return sum(each.nbytes for each in self)


class WindowsOfKeys(NamedTuple):
    """int64[windows] each: the key, the bounds [start, end) of event time, and the arrival tick up to which tuples
    count."""

    key: np.ndarray
    start_us: np.ndarray
    end_us: np.ndarray
    known_at_us: np.ndarray


class ComputeOptions(NamedTuple):
    """workers: threads, as many as this process may use cores unless given; seconds_a_window: how long the function may
    take, then the window's status is "over time"; stop: int64[1], TooManySeconds once it isn't 0."""

    workers: int | None = None
    seconds_a_window: float = SECONDS_A_WINDOW
    stop: np.ndarray | None = None


def compute_windows(
    name: str | HeavyFunction,
    parameters: Mapping[str, object],
    tuples: TuplesOfKeys,
    windows: WindowsOfKeys,
    options: ComputeOptions,
) -> tuple[Results, Metrics]:
    """What a function says of each window, in their order; `covered` of the results counts tuples without a value too.

    Raises WrongParameter, NotServed, BrokenDefinition; WorkerLost where a function doesn't end; TooManySeconds.
    Memory: `tuples`, and 16 words and the outputs of each of MOST_RING windows; results as they come.
    """
    require_kind("tuples", tuples, TuplesOfKeys)
    require_kind("windows", windows, WindowsOfKeys)
    require_function(name)
    require_seconds("seconds_a_window", options.seconds_a_window)
    tuples, windows = _checked(name, tuples), _windows(windows, len(tuples.offsets) - 1)
    columns = tuples._asdict()
    sorted_tuples = SortedTuples.make(first_of_key=columns.pop("offsets"), stride=len(tuples.times_us), **columns)
    ring = 1 << max(0, min(len(windows.key), MOST_RING) - 1).bit_length()
    fields = {"worker_count": workers_of(options.workers), "keys": 1, "ring": ring, "most_held": MOST_BYTES}
    fields |= {"columns": len(tuples.values), "read_columns": len(tuples.values), "sorted_tuples": sorted_tuples}
    memory = FarmMemory(name, parameters, fields)
    running = RunningFarm(memory, options.seconds_a_window)
    try:
        results, metrics = _run(running, windows, options.stop)
    finally:
        running.close()
    own_bytes = memory.descriptors.nbytes + memory.outputs.nbytes
    return results, metrics._replace(greatest_held_bytes=tuples.held_bytes + own_bytes)


def _checked(name: str | HeavyFunction, given: TuplesOfKeys) -> TuplesOfKeys:
    """As compiled functions take them. WrongParameter, BadInput."""
    times = checked_times("event time", "row", given.times_us)
    arrivals, closed = integers("arrivals_us", given.arrivals_us), integers("closed_us", given.closed_us)
    offsets, has_value = checked_offsets(given.offsets, len(times)), truths("has_value", given.has_value, 1)
    tuples = TuplesOfKeys(offsets, times, arrivals, closed, has_value, floats("values", given.values))
    _require_lengths(tuples, ("arrivals_us", "closed_us", "has_value"), len(times))
    check_tuples(name, times, tuples.values, tuples.offsets, "key and event time")
    return tuples


def _windows(given: WindowsOfKeys, keys: int) -> WindowsOfKeys:
    windows = WindowsOfKeys(*(integers(field, array) for field, array in zip(given._fields, given, strict=True)))
    wrong = np.flatnonzero((windows.key < 0) | (windows.key >= keys))
    if len(wrong):
        raise WrongParameter("key", int(windows.key[wrong[0]]), f"0 to {keys - 1}; this is window {int(wrong[0])}")
    _require_lengths(windows, windows._fields, len(windows.key))
    return windows


def _require_lengths(given: TuplesOfKeys | WindowsOfKeys, names: Sequence[str], count: int) -> None:
    for name in names:
        found = len(getattr(given, name))
        if found != count:
            raise WrongParameter(name, f"{found} values", f"{count}, one of each")


def _run(running: RunningFarm, windows: WindowsOfKeys, stop: np.ndarray | None) -> tuple[Results, Metrics]:
    began_s, farm = time.monotonic(), running.farm
    while farm.collected < len(windows.key):
        _hand_out(running, windows)
        running.wait(farm.changes, ALL if farm.handed_out == len(windows.key) else A_QUARTER)
        if stop is not None and stop[0]:
            raise TooManySeconds
    metrics = metrics_of(farm, time.monotonic() - began_s)
    return running.take(), metrics


def _hand_out(running: RunningFarm, windows: WindowsOfKeys) -> None:
    """As many windows as there is room for."""
    farm = running.farm
    first, end = farm.handed_out, min(len(windows.key), farm.collected + farm.ring)
    if first == end:
        return
    places = np.arange(first, end) & (farm.ring - 1)
    given = (each[first:end] for each in windows)
    names = ("key", "start", "end", "known_at", "number", "state")
    for field, values in zip(names, (*given, np.arange(first, end), TO_BE_TAKEN), strict=True):
        running.memory.descriptors[places, Descriptor.offsets[field] // WORD_BYTES] = values
    farm_calls().hand_out_more(farm.address, end - first)
