"""What the experiments of frames share: tuples of which some come late, kernels driven in a compiled loop, and a meter
of what each operation takes."""

from collections.abc import Sequence
from datetime import timedelta
from functools import cache
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.cycle_clock import cycles, nanoseconds_per_cycle
from benchmarks.processor import timed
from windrow.kernels import frames
from windrow.kernels.frames._frames import METERED, KeyFrames
from windrow.kernels.frames._object import FrameWindow
from windrow.kernels.frames._rules import DONE, FrameKernel
from windrow.kernels.runtime.fields import Address, Array, Code, Microseconds, Pointer, Ref, Word
from windrow.kernels.runtime.memory import address_of, entry
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct, words_at
from windrow.kernels.runtime.tables import NOT_KEPT, compiled_table
from windrow.schemas.query import agg
from windrow.schemas.windows import AggregateFrame, BoundaryFrame, DeltaFrame, Session, ThresholdFrame, Window

APART_US = 1_000
DELAYED = 0.3
MOST_DELAY = 200
"""Tuples that come between a delayed one and those that it belongs to, at most."""
AGGREGATES = {"tuples": agg("count"), "total": agg("sum", "value"), "most": agg("max", "value")}
KINDS_OF_FRAMES: dict[str, Window] = {
    "threshold": ThresholdFrame("value", 0.0),
    "delta": DeltaFrame("value", 5.0),
    "boundary": BoundaryFrame("value", 5.0),
    "aggregate, sum": AggregateFrame("sum", "step", 100.0),
    "aggregate, count": AggregateFrame("count", "value", 100),
    "session": Session(timedelta(microseconds=3 * APART_US)),
}


class Sizes(NamedTuple):
    """tuples: of a stream; held: how many a buffer has where operations are timed; rounds: of which the median
    counts, or the least where sizes are compared."""

    tuples: int = 200_000
    held: tuple[int, ...] = (1_000, 4_000, 16_000, 64_000)
    timed: int = 200
    rounds: int = 5


class Tuples(NamedTuple):
    """In order of arrival."""

    times_us: np.ndarray
    values: np.ndarray
    steps: np.ndarray

    def columns(self, names: Sequence[str]) -> list:
        """Values as an object takes them, of columns by name."""
        named = {"value": self.values, "step": self.steps}
        return list(zip(*(named[name].tolist() for name in names), strict=True)) if len(names) > 1 else named[names[0]]


def tuples(count: int, delayed: float) -> Tuples:
    """A random walk and its steps' sizes, a tuple each millisecond and now and then a pause; so many are delayed."""
    chance = np.random.default_rng(1)
    apart = np.where(chance.random(count) < 0.002, 5 * APART_US, APART_US)
    times, steps = np.cumsum(apart), chance.normal(0, 1, count).round(2)
    arrivals = np.arange(count) + np.where(chance.random(count) < delayed, chance.integers(0, MOST_DELAY, count), 0)
    order = np.argsort(arrivals, kind="stable")
    return Tuples(times[order], np.cumsum(steps)[order], np.abs(steps)[order])


class DrivenFrames(Struct):
    """A kernel, its structure, and the times of its rows."""

    kernel: Ref(FrameKernel)
    structure: Address
    times: Pointer(Microseconds)


@entry
def insert_rows(driven, first, end, burst):
    """Frames are as they should be behind each burst of so many tuples."""
    driven, refused = DrivenFrames(driven), 0
    for row in range(first, end):
        if driven.kernel.insert(driven.structure, driven.times[row], row) != DONE:
            refused += 1
        if (row + 1 - first) % burst == 0 or row + 1 == end:
            driven.kernel.close_burst(driven.structure)
    return refused


@entry
def fold_contents(driven, frames, count):
    """The aggregates of some frames, by their addresses."""
    driven, frames = DrivenFrames(driven), words_at(frames)
    for place in range(count):
        driven.kernel.content(driven.structure, frames[place])


class DrivenRun:
    """A kernel and some tuples, which go in from outside of Python's loops."""

    def __init__(self, kernel: str, frame: Window, given: Tuples, **options: object):
        self.made: FrameWindow = frames.make(kernel, frame, AGGREGATES | _of_step(frame), **options)
        values = given.columns(self.made.columns)
        source = self.made._columns.source(values, given.times_us, np.arange(len(given.values)))
        self.made._rows.append(source, lambda: self.made._ask("least_row"))
        self._times = given.times_us
        kernel_address = self.made.dispatch().address
        self._driven = DrivenFrames.make(kernel=kernel_address, structure=self.made._address, times=self._times)

    @property
    def key_frames(self) -> KeyFrames:
        """The structure."""
        return KeyFrames(self.made._address)

    def insert(self, first: int, end: int, burst: int = 1) -> float:
        """Processor seconds of some rows, in bursts of so many."""
        spent_s, refused = timed(lambda: insert_rows(self._driven.address, first, end, burst))
        if refused:
            raise ValueError(f"{refused} of {end - first} tuples were refused")
        return spent_s

    def fold(self) -> float:
        """Processor seconds of the aggregates of all frames."""
        asked = self.made._addresses()
        return timed(lambda: fold_contents(self._driven.address, address_of(asked), len(asked)))[0]


def _of_step(frame: Window) -> dict:
    return {"steps": agg("sum", "step")} if getattr(frame, "column", "") == "step" else {}


def throughput(frame: Window, given: Tuples, rounds: int) -> float:
    """Tuples a processor second of the multi-buffer, until all frames have their aggregates."""
    return len(given.values) / median([_seconds(frame, given) for _ in range(1 + rounds)][1:])


def _seconds(frame: Window, given: Tuples) -> float:
    run = DrivenRun("multi_buffer", frame, given)
    return run.insert(0, len(given.values)) + run.fold()


class Meter(Struct):
    """Cycles in each kind of operation; the kind since `since`."""

    kind: Code
    since: Word
    cycles: Array(Word, len(METERED))


class MeterCalls(Struct):
    """What a kernel's structure calls as an operation begins."""

    begin: Operation(Address, Code)


def begin(meter: Meter, kind):
    now = cycles()
    meter.cycles[meter.kind] += now - meter.since
    meter.kind, meter.since = kind, now


@cache
def meter_calls() -> MeterCalls:
    """Compiled once a process."""
    return compiled_table(MeterCalls, "frames_meter", {"begin": begin}, NOT_KEPT)


@cache
def per_cycle_ns() -> float:
    """Nanoseconds of a cycle of the clock."""
    return nanoseconds_per_cycle()
