"""What the experiments of farms share: a generated stream, a run as fast as tuples are taken, and a run at a pace."""

import time
from collections.abc import Iterator
from datetime import timedelta
from math import gcd
from typing import NamedTuple

import numpy as np

from benchmarks.farm_function import Windows, compute_each
from windrow.kernels import farm
from windrow.schemas.query import slide_by_tuple, sliding
from windrow.schemas.windows import Window

MS = timedelta(milliseconds=1)
MS_A_SECOND = 1000
FIT = "polynomial_fit"
DEGREE = 8
"""Of 50,000 tuples it takes 0.5 ms. Of degree 2 it takes 0.06 ms, as long as taking the 1,000 tuples of a slide: more
workers would have nothing to do."""
TUPLES_A_SECOND = 10_000
"""Of event time: a tenth of the paper's 100,000, so that windows have a tenth of its tuples."""
BATCH = 1 << 15
RING = 1 << 9
"""Windows that wait: with thousands the emitter runs so far ahead that each tuple goes to memory that was never used,
whose page faults cost 10 ns a tuple."""


class Configuration(NamedTuple):
    """A window of the paper: size in ms; slide in ms, or in tuples of the paper's rate where it slides by tuple."""

    size: int
    slide: int
    by_tuple: bool = False

    @property
    def window(self) -> Window:
        """At this rate."""
        if self.by_tuple:
            return slide_by_tuple(self.size * MS, self.slide_tuples)
        return sliding(self.size * MS, self.slide * MS)

    @property
    def slide_tuples(self) -> int:
        """Tuples between two windows."""
        return self.slide // 10 if self.by_tuple else self.slide * TUPLES_A_SECOND // MS_A_SECOND

    @property
    def greatest_chunk(self) -> int:
        """The paper's, of windows that slide by time, in tuples."""
        return gcd(self.size, self.slide) * TUPLES_A_SECOND // MS_A_SECOND

    @property
    def name(self) -> str:
        """As the paper has it."""
        return f"{self.size:,} ms by {self.slide:,} {'tuples' if self.by_tuple else 'ms'}"


class GeneratedTuples(NamedTuple):
    """Tuples whose distances in time are exponential, as in FARM §6."""

    times_us: np.ndarray
    values: np.ndarray

    def batches(self, tuples: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """So many at a time."""
        for first in range(0, len(self.times_us), tuples):
            yield self.times_us[first : first + tuples], self.values[first : first + tuples]


def stream(tuples: int, seed: int = 1) -> GeneratedTuples:
    """A slow curve, and noise."""
    chance = np.random.default_rng(seed)
    times = np.cumsum(chance.exponential(1e6 / TUPLES_A_SECOND, tuples)).astype(np.int64)
    return GeneratedTuples(times, np.sin(times / 1e7) + chance.normal(0, 0.1, tuples))


def made_farm(model: str, asked: Configuration, workers: int, **options: object) -> farm.WindowFarm:
    """Of the experiments."""
    return farm.make(model, asked.window, FIT, workers, parameters={"degree": DEGREE}, ring=RING, **options)


def unpaced(model: str, asked: Configuration, workers: int, windows: int, **options: object) -> farm.Metrics:
    """About so many windows, as fast as the farm takes tuples."""
    tuples = stream(windows * asked.slide_tuples + asked.size * TUPLES_A_SECOND // MS_A_SECOND)
    with made_farm(model, asked, workers, **options) as made:
        for batch in tuples.batches(BATCH):
            made.insert(*batch)
        made.finish()
        return made.metrics()


def in_memory(asked: Configuration, windows: int) -> Windows:
    """So many full windows, without a farm."""
    size = asked.size * TUPLES_A_SECOND // MS_A_SECOND
    tuples = stream(windows * asked.slide_tuples + size)
    lows = np.arange(windows) * asked.slide_tuples
    return Windows(*tuples, lows, lows + size, tuples.times_us[lows])


def fit_each(windows: Windows) -> None:
    """By the function only."""
    compute_each(FIT, windows, degree=DEGREE)


def paced(model: str, asked: Configuration, workers: int, windows_a_second: float, seconds: float) -> farm.Metrics:
    """Tuples come as fast as that many windows a second ask for: the ideal bandwidth."""
    tuples_a_second = windows_a_second * asked.slide_tuples
    tuples = stream(int(seconds * tuples_a_second))
    with made_farm(model, asked, workers) as made:
        began, given = time.perf_counter(), 0
        for times, values in tuples.batches(BATCH):
            _sleep_until(began + given / tuples_a_second)
            made.insert(times, values)
            given += len(times)
        made.finish()
        return made.metrics()


def _sleep_until(moment: float) -> None:
    left = moment - time.perf_counter()
    if left > 0:
        time.sleep(left)
