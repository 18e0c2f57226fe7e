"""A farm at work: its threads, their time limit, and the results that become ready, in window order."""

import time
import weakref

import numpy as np

from kernels.farm.content import OVER_TIME
from kernels.farm.memory import FarmMemory
from kernels.farm.models import FarmCalls
from kernels.farm.results import Metrics, Results, add, joined, metrics_of, results_of
from kernels.farm.threads import WorkerThreads, lost
from schemas.errors import WrongParameter

WAIT_MS = 50
ALL, A_QUARTER = 1, 4
GRACE_S = 5.0
"""How long behind its time limit a function may take to see that it must end."""


class RunningFarm:
    """From the start of its threads to `close`; used by one thread, which hands windows out.

    limit_s: how long the function may take for a window
    """

    def __init__(self, calls: FarmCalls, memory: FarmMemory, limit_s: float):
        self.calls, self.memory, self.farm = calls, memory, memory.farm
        self._limit_s, self._look_s, self._longest = limit_s, 0.0, 0
        self._parts: list[Results] = []
        calls.create_all(self.farm.address)
        self._threads = WorkerThreads(calls, memory)
        self._end = weakref.finalize(self, self._threads.end, GRACE_S)
        try:
            self._threads.start()
        except BaseException:  # an interrupt: nobody has the farm yet who could close it
            self.close()
            raise

    def close(self) -> None:
        """End the threads, windows that aren't computed yet included. Raises WorkerLost if one doesn't end."""
        if self._end.detach():
            self._threads.end(GRACE_S)

    def require_open(self) -> None:
        """WrongParameter for a farm that is closed, or that another process made."""
        if not self._end.alive:
            raise WrongParameter("the farm", "closed", "one that is open; make another")
        if not self._threads.are_here():
            raise WrongParameter("the farm", "one of another process", "one that this process made; make another")

    def collect(self) -> int:
        """How many results became ready, in window order."""
        farm = self.farm
        count = self.calls.ready(farm.address)
        if count:
            add(self._parts, self._results((farm.collected + np.arange(count)) & (farm.ring - 1)))
            farm.collected += count
        return count

    def take(self) -> Results:
        """The results since the last time."""
        if self._end.alive and self._threads.are_here():
            self._longest_ns()
            self.collect()
        parts, self._parts = self._parts, []
        return joined([self._results(np.zeros(0, np.int64)), *parts])

    def metrics(self, completion_s: float) -> Metrics:
        """Of all windows that were computed until now."""
        return metrics_of(self.farm, completion_s)

    def wait(self, seen: int, share: int = A_QUARTER) -> int:
        """Until one of `share` parts of the windows is computed, or `changes` of the farm isn't `seen` any more and
        that may be memory which lacks; at most WAIT_MS. How many results became ready. Raises WorkerLost."""
        self.calls.wait_for_change(self.farm.address, seen, share, WAIT_MS)
        self._threads.require_alive()
        self.end_overdue()
        return self.collect()

    def end_overdue(self) -> None:
        """Ask functions that take too long to end. WorkerLost where one doesn't."""
        if self._longest_ns() > (self._limit_s + GRACE_S) * 1e9:
            raise lost(f"a function doesn't end {GRACE_S:g} s behind its limit of {self._limit_s:g} s")

    def _results(self, places: np.ndarray) -> Results:
        return results_of(self.memory.descriptors, self.memory.outputs, places)

    def _longest_ns(self) -> int:
        """How long functions have worked at most, when they were last looked at; those over the limit are asked to end.
        Every WAIT_MS: each look keeps workers out of the monitor."""
        now_s = time.monotonic()
        if now_s >= self._look_s:
            self._look_s = now_s + WAIT_MS / 1000
            limit_ns = round(self._limit_s * 1e9)
            self._longest = self.calls.stop_overdue(self.farm.address, OVER_TIME, limit_ns)
        return self._longest
