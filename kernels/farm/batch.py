"""A farm over windows whose tuples are all here, as a replay has them: `compute_windows`.

Descriptors go out as far as the ring has room, workers take them on demand, and results come back in the order of the
windows, bit for bit those of the serial run, whatever the number of workers (FARM §5.4 without its emitter's buffer).
"""

import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from kernels.farm.content import OVER_TIME
from kernels.farm.extents import ServedWindow
from kernels.farm.farm import GRACE_S, WAIT_MS
from kernels.farm.functions._function import HeavyFunction
from kernels.farm.layout import TO_BE_TAKEN, Descriptor, Extents, SortedTuples
from kernels.farm.memory import FarmMemory, Room
from kernels.farm.models import batch_calls
from kernels.farm.options import workers_of
from kernels.farm.results import Metrics, Results, joined, metrics_of, results_of
from kernels.farm.threads import WorkerThreads, lost
from kernels.runtime.calls import ask
from kernels.runtime.memory import WORD_BYTES
from schemas.errors import TooManySeconds
from schemas.replay_limits import require_seconds

MOST_RING = 1 << 14
SECONDS_A_WINDOW = 60.0


class TuplesOfKeys(NamedTuple):
    """Tuples by key and event time.

    offsets: int64[keys + 1]; times_us, arrivals_us: int64[tuples]; last_missed_us: int64[tuples], start of the last
    window that a tuple was too late for; has_value: bool[tuples]; values: float64[columns, tuples]
    """

    offsets: np.ndarray
    times_us: np.ndarray
    arrivals_us: np.ndarray
    last_missed_us: np.ndarray
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


class BatchOptions(NamedTuple):
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
    options: BatchOptions,
) -> tuple[Results, Metrics]:
    """What a function says of each window, in their order; `covered` of the results counts tuples without a value too.

    Raises WrongParameter, NotServed, BrokenDefinition; WorkerLost where a function doesn't end; TooManySeconds.
    Memory: `tuples`, and 16 words and the outputs of each of MOST_RING windows; results as they come.
    """
    require_seconds("seconds_a_window", options.seconds_a_window)
    batch = _Batch(name, parameters, tuples, windows, options)
    try:
        return batch.run()
    finally:
        batch.threads.end(GRACE_S)


class _Batch:
    """One run. `threads` must be ended."""

    def __init__(self, name, parameters, tuples: TuplesOfKeys, windows: WindowsOfKeys, options: BatchOptions):
        self._calls, self._windows, self._options = batch_calls(), windows, options
        self._held_bytes = tuples.held_bytes
        count = len(tuples.times_us)
        arrays = {
            "first_of_key": np.ascontiguousarray(tuples.offsets, np.int64),
            "times": np.ascontiguousarray(tuples.times_us, np.int64),
            "arrivals": np.ascontiguousarray(tuples.arrivals_us, np.int64),
            "last_missed": np.ascontiguousarray(tuples.last_missed_us, np.int64),
            "has_value": np.ascontiguousarray(tuples.has_value, np.bool_),
            "values": np.ascontiguousarray(tuples.values, np.float64),
        }
        self._tuples = SortedTuples.make(stride=count, **arrays)
        served = ServedWindow(Extents.make(), {"sorted_tuples": self._tuples})
        self._memory = FarmMemory(self._calls, served, name, parameters, _room(tuples, windows, options))
        self._farm = self._memory.farm
        ask(self._calls.create_all, self._farm.address)
        self.threads = WorkerThreads(self._calls, self._memory)

    def run(self) -> tuple[Results, Metrics]:
        began_s, farm = time.monotonic(), self._farm
        parts = [results_of(self._memory.descriptors, self._memory.outputs, np.zeros(0, np.int64))]
        while farm.collected < len(self._windows.key):
            seen = farm.changes
            self._hand_out()
            ready = ask(self._calls.ready, farm.address)
            if ready:
                parts.append(self._taken(ready))
            else:
                self._wait(seen)
        metrics = metrics_of(farm, time.monotonic() - began_s)
        own_bytes = self._memory.descriptors.nbytes + self._memory.outputs.nbytes
        return joined(parts), metrics._replace(greatest_held_bytes=self._held_bytes + own_bytes)

    def _hand_out(self) -> None:
        """As many windows as there is room for."""
        farm = self._farm
        first = farm.handed_out
        end = min(len(self._windows.key), farm.collected + farm.ring)
        if first == end:
            return
        places = np.arange(first, end) & (farm.ring - 1)
        windows = self._windows
        fields = {
            "key": windows.key[first:end],
            "number": np.arange(first, end),
            "start": windows.start_us[first:end],
            "end": windows.end_us[first:end],
            "known_at": windows.known_at_us[first:end],
            "state": TO_BE_TAKEN,
        }
        for field, values in fields.items():
            self._memory.descriptors[places, Descriptor.offsets[field] // WORD_BYTES] = values
        ask(self._calls.hand_out_more, farm.address, end - first)

    def _taken(self, count: int) -> Results:
        farm = self._farm
        places = (farm.collected + np.arange(count)) & (farm.ring - 1)
        farm.collected += count
        return results_of(self._memory.descriptors, self._memory.outputs, places)

    def _wait(self, seen: int) -> None:
        farm, limit_s = self._farm, self._options.seconds_a_window
        ask(self._calls.wait_for_change, farm.address, seen, WAIT_MS)
        self.threads.require_alive()
        if self._options.stop is not None and self._options.stop[0]:
            raise TooManySeconds
        ask(self._calls.stop_overdue, farm.address, OVER_TIME, round(limit_s * 1e9))
        if ask(self._calls.stop_overdue, farm.address, OVER_TIME, round((limit_s + GRACE_S) * 1e9)):
            raise lost(f"a function doesn't end {GRACE_S:g} s behind its limit of {limit_s:g} s")


def _room(tuples: TuplesOfKeys, windows: WindowsOfKeys, options: BatchOptions) -> Room:
    workers = workers_of(options.workers)
    ring = 1 << max(0, min(len(windows.key), MOST_RING) - 1).bit_length()
    return Room(workers, 1, len(tuples.values), ring, 1 << 62, 0, 0)
