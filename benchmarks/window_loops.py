"""Windows of any kernel, driven by compiled loops over the same events: what the benchmarks of FIBA and MTA measure.

window = Driven("daba_lite", DrivenEvents([AggregateSpec("fast_sum", 0, "float64")]))
window.fill(1 << 22); window.slide(bursts=32, burst=1024)
"""

import numpy as np

from benchmarks.loops import DrivenWindow, create, destroy, evict_until, fill, pass_by, slide, time_slide
from benchmarks.processor import timed
from windrow.kernels.aggregators import window_class
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.objects.columns import Source
from windrow.kernels.runtime.memory import address_of
from windrow.kernels.states.state_plan import make_plan

IN_ORDER = ("two_stacks_lite", "daba_lite", "amortized_monoid_tree")
ANY_ORDER = ("finger_tree (4)", "finger_tree (8)", "finger_tree_single (4)", "finger_tree_single (8)")
"""As tables and pictures name them: kernel (min_arity)."""
FILL_ROWS = 1024


class DrivenEvents:
    """Aggregates over one column of float64, values that repeat from burst to burst."""

    def __init__(self, specs: list[AggregateSpec], rows: int = 1 << 14, columns: int = 1):
        self.plan = make_plan(tuple(specs), counts_events=False)
        values = np.random.default_rng(20_180_601).uniform(1.0, 100.0, (columns, max(rows, FILL_ROWS)))
        # Times are the kernel's own: the aggregates here take none.
        self.source = Source(values.view(np.int64), np.ones(values.shape, np.bool_), np.zeros(1, np.int64))
        self.source.layout.rows = values.shape[1]


class Driven:
    """One window of one kernel. name: as in ANY_ORDER; disorder: so many entries stay younger than all that goes in."""

    def __init__(self, name: str, events: DrivenEvents, frees_at_once: bool = False):
        kernel, _, arity = name.partition(" (")
        self.kernel, self._events = kernel, events
        self._window = DrivenWindow.make(kernel=window_class(kernel).dispatch(), events=events.source.address)
        self.address = self._window.address
        options = (int(arity.rstrip(")")), int(frees_at_once)) if arity else (0, 0)
        create(self.address, events.plan.address, *options)
        self.next = self.size = 0

    def fill(self, size: int, disorder: int = 0) -> None:
        """To `size` entries, `disorder` of them far younger than the others."""
        if disorder:
            self._fill(np.arange(disorder) + (1 << 60))
        self._fill(np.arange(size - disorder))
        self.next = self.size = size - disorder

    def _fill(self, times: np.ndarray) -> None:
        times = times.astype(np.int64)
        fill(self.address, address_of(times), len(times), FILL_ROWS)

    def insert(self, times: np.ndarray, burst: int) -> None:
        """Sorted within each burst only."""
        fill(self.address, address_of(times), len(times), burst)

    def slide(self, bursts: int, burst: int) -> float:
        """Processor seconds of so many turns: evict, insert, query. Other work on the machine then costs caches, not
        seconds."""
        times = self._coming(bursts * burst)
        return timed(lambda: slide(self.address, address_of(times), bursts, burst, self.size))[0]

    def pass_by(self, times: np.ndarray, until: np.ndarray) -> float:
        """Processor seconds of entries that come one by one, each with the time until which it evicts."""
        return timed(lambda: pass_by(self.address, address_of(times), address_of(until), len(times)))[0]

    def time_slide(self, bursts: int, burst: int) -> np.ndarray:
        """Cycles of each turn's eviction and insertion."""
        times, clock = self._coming(bursts * burst), np.zeros((bursts, 2), np.int64)
        time_slide(self.address, address_of(times), bursts, burst, self.size, address_of(clock))
        return clock

    def evict_until(self, until: int) -> int:
        """Cycles of one bulk eviction with a query."""
        return evict_until(self.address, until)

    def close(self) -> None:
        destroy(self.address)

    def _coming(self, rows: int) -> np.ndarray:
        times = np.arange(self.next, self.next + rows, dtype=np.int64)
        self.next += rows
        return times


def throughput(window: Driven, burst: int, seconds: float) -> float:
    """Entries a second, over at least so many seconds of sliding, and over all of a window that is turned around as a
    whole once it has gone by. The better of two, since a neighbour on the machine makes every figure worse."""
    least = window.size if window.kernel == "two_stacks_lite" else 0
    window.slide(1, burst)
    return max(_throughput(window, burst, seconds, least) for _ in range(2))


def _throughput(window: Driven, burst: int, seconds: float, least: int) -> float:
    bursts = max(1, (1 << 15) // burst)
    spent, entries = 0.0, 0
    while spent < seconds or entries < least:
        spent += window.slide(bursts, burst)
        entries += bursts * burst
    return entries / spent
