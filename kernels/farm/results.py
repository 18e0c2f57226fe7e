"""What a farm gives: results in window order, and the metrics of FARM §4.2 and §6."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from windrow.kernels.farm.layout import Descriptor, Farm
from windrow.kernels.farm.memory import FarmMemory
from windrow.kernels.runtime.memory import WORD_BYTES


class Results(NamedTuple):
    """One element, or one row of `outputs`, per window; in order of when windows were complete, and so by number within
    a key, whatever the workers.

    key, number: int64; the number is the window's among those of its key
    start_us, end_us, tuples: int64; the window is [start, end) of event time
    covered: int64; of sorted tuples, with those that have no value; else 0
    status: int64, of kernels/farm/content.py
    outputs: float64[windows, outputs], NaN where there is none
    worker, stretches, calculation_ns: int64; the worker that computed it, from how many pieces of memory, in what
        time: only these differ from run to run
    """

    key: np.ndarray
    number: np.ndarray
    start_us: np.ndarray
    end_us: np.ndarray
    tuples: np.ndarray
    covered: np.ndarray
    status: np.ndarray
    outputs: np.ndarray
    worker: np.ndarray
    stretches: np.ndarray
    calculation_ns: np.ndarray


class Metrics(NamedTuple):
    """Of a farm from its first tuple to now.

    completion_s: the time since then; bandwidth: windows per second of it (FARM definition 13)
    ideal_bandwidth: windows per second that the workers could compute if none ever waited
    calculation_s: mean time in the function per window (definition 14)
    load_balance: mean ÷ greatest time in the function among workers; 1 where all have worked equally long
    fragmentation: pieces of memory per window (§6.2.3.1)
    windows_of_worker, busy_s_of_worker: by worker
    greatest_held_bytes: the most that buffers took
    """

    windows: int
    completion_s: float
    bandwidth: float
    ideal_bandwidth: float
    calculation_s: float
    load_balance: float
    fragmentation: float
    windows_of_worker: tuple[int, ...]
    busy_s_of_worker: tuple[float, ...]
    greatest_held_bytes: int


FIELDS = ("key", "number", "start", "end", "count", "covered", "status", "outputs", "worker", "stretches", "took")
"""Of a descriptor, in the order of Results."""


def results_of(memory: FarmMemory, places: np.ndarray) -> Results:
    """Of the descriptors at some places of the ring."""
    columns = [memory.descriptors[places, Descriptor.offsets[field] // WORD_BYTES] for field in FIELDS]
    columns[FIELDS.index("outputs")] = memory.outputs[places]
    return Results(*columns)


def joined(parts: Sequence[Results]) -> Results:
    """Some results behind each other; there is at least one part."""
    return Results(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def add(parts: list[Results], part: Results) -> None:
    """One more part, joined with those before it that aren't twice as long: each is copied O(log results) times."""
    while parts and len(parts[-1].key) < 2 * len(part.key):
        part = joined([parts.pop(), part])
    parts.append(part)


def metrics_of(farm: Farm, completion_s: float) -> Metrics:
    workers = [farm.workers[number] for number in range(farm.worker_count)]
    windows, busy_s = [each.windows for each in workers], [each.busy / 1e9 for each in workers]
    computed, calculated_s = sum(windows), sum(busy_s)
    return Metrics(
        windows=computed,
        completion_s=completion_s,
        bandwidth=_ratio(computed, completion_s),
        ideal_bandwidth=_ratio(computed * len(workers), calculated_s),
        calculation_s=_ratio(calculated_s, computed),
        load_balance=_ratio(calculated_s, len(workers) * max(busy_s)),
        fragmentation=_ratio(sum(each.stretches for each in workers), computed),
        windows_of_worker=tuple(windows),
        busy_s_of_worker=tuple(busy_s),
        greatest_held_bytes=farm.greatest_held,
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
