"""A farm over windows whose tuples are all here, as a replay has them: `compute_windows`.

Descriptors go out as far as the ring has room, workers take them on demand, and results come back in the order of the
windows, bit for bit those of the serial run, whatever the number of workers (FARM §5.4 without its emitter's buffer).
"""

import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernels.columns import checked_offsets, checked_times, floats, integers, truths
from kernels.farm.batch import require_columns
from kernels.farm.extents import ServedWindow
from kernels.farm.functions import require_function
from kernels.farm.functions._function import HeavyFunction
from kernels.farm.layout import TO_BE_TAKEN, Descriptor, Extents, SortedTuples
from kernels.farm.memory import FarmMemory, Room
from kernels.farm.models import given_calls
from kernels.farm.options import MOST_BYTES, workers_of
from kernels.farm.results import Metrics, Results
from kernels.farm.running import A_QUARTER, ALL, RunningFarm
from kernels.given import require_kind
from kernels.runtime.memory import WORD_BYTES
from schemas.errors import BadInput, TooManySeconds, WrongParameter
from schemas.replay_limits import require_seconds

MOST_RING = 1 << 14
SECONDS_A_WINDOW = 60.0


class TuplesOfKeys(NamedTuple):
    """Tuples by key and event time.

    offsets: int64[keys + 1]; times_us, arrivals_us: int64[tuples]; closed_us: int64[tuples], windows
    that end by then were closed when the tuple came; has_value: bool[tuples]; values: float64[columns, tuples]
    """

    offsets: np.ndarray
    times_us: np.ndarray
    arrivals_us: np.ndarray
    closed_us: np.ndarray
    has_value: np.ndarray
    values: np.ndarray

    @property
    def held_bytes(self) -> int:
        """Of all arrays."""
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
    calls, sorted_tuples = given_calls(), _structure(tuples)
    served = ServedWindow(Extents.make(), {"sorted_tuples": sorted_tuples})
    memory = FarmMemory(calls, served, name, parameters, _room(tuples, windows, options))
    running = RunningFarm(calls, memory, options.seconds_a_window)
    try:
        results, metrics = _run(running, windows, options.stop)
    finally:
        running.close()
    own_bytes = memory.descriptors.nbytes + memory.outputs.nbytes
    return results, metrics._replace(greatest_held_bytes=tuples.held_bytes + own_bytes)


def _checked(name: str | HeavyFunction, given: TuplesOfKeys) -> TuplesOfKeys:
    """As compiled functions take them. WrongParameter, BadInput."""
    times = checked_times("event time", "row", given.times_us)
    tuples = TuplesOfKeys(
        checked_offsets(given.offsets, len(times)),
        times,
        integers("arrivals_us", given.arrivals_us),
        integers("closed_us", given.closed_us),
        truths("has_value", given.has_value, 1),
        floats("values", given.values),
    )
    _require_lengths(tuples._asdict(), ("arrivals_us", "closed_us", "has_value"), len(times))
    require_columns(name, tuples.values, len(times))
    falls = np.setdiff1d(np.flatnonzero(times[1:] < times[:-1]) + 1, tuples.offsets)
    if len(falls):
        raise BadInput(f"at row {int(falls[0])} the event time falls; sort tuples by key and event time")
    return tuples


def _windows(given: WindowsOfKeys, keys: int) -> WindowsOfKeys:
    windows = WindowsOfKeys(*(integers(field, array) for field, array in zip(given._fields, given, strict=True)))
    wrong = np.flatnonzero((windows.key < 0) | (windows.key >= keys))
    if len(wrong):
        raise WrongParameter("key", int(windows.key[wrong[0]]), f"0 to {keys - 1}; this is window {int(wrong[0])}")
    _require_lengths(windows._asdict(), windows._fields, len(windows.key))
    return windows


def _require_lengths(given: Mapping[str, np.ndarray], names: Sequence[str], count: int) -> None:
    for name in names:
        if len(given[name]) != count:
            raise WrongParameter(name, f"{len(given[name])} values", f"{count}, one of each")


def _structure(tuples: TuplesOfKeys) -> SortedTuples:
    return SortedTuples.make(
        first_of_key=tuples.offsets,
        times=tuples.times_us,
        arrivals=tuples.arrivals_us,
        closed=tuples.closed_us,
        has_value=tuples.has_value,
        values=tuples.values,
        stride=len(tuples.times_us),
    )


def _run(running: RunningFarm, windows: WindowsOfKeys, stop: np.ndarray | None) -> tuple[Results, Metrics]:
    began_s, farm = time.monotonic(), running.farm
    while farm.collected < len(windows.key):
        _hand_out(running, windows)
        running.wait(farm.changes, ALL if farm.handed_out == len(windows.key) else A_QUARTER)
        if stop is not None and stop[0]:
            raise TooManySeconds
    metrics = running.metrics(time.monotonic() - began_s)
    return running.take(), metrics


def _hand_out(running: RunningFarm, windows: WindowsOfKeys) -> None:
    """As many windows as there is room for."""
    farm = running.farm
    first, end = farm.handed_out, min(len(windows.key), farm.collected + farm.ring)
    if first == end:
        return
    places = np.arange(first, end) & (farm.ring - 1)
    fields = {
        "key": windows.key[first:end],
        "number": np.arange(first, end),
        "start": windows.start_us[first:end],
        "end": windows.end_us[first:end],
        "known_at": windows.known_at_us[first:end],
        "state": TO_BE_TAKEN,
    }
    for field, values in fields.items():
        running.memory.descriptors[places, Descriptor.offsets[field] // WORD_BYTES] = values
    running.calls.hand_out_more(farm.address, end - first)


def _room(tuples: TuplesOfKeys, windows: WindowsOfKeys, options: ComputeOptions) -> Room:
    workers = workers_of(options.workers)
    ring = 1 << max(0, min(len(windows.key), MOST_RING) - 1).bit_length()
    return Room(workers, 1, len(tuples.values), len(tuples.values), ring, MOST_BYTES, 0, 0)
