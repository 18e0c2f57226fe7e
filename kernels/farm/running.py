"""A farm at work: its threads, their time limit, and the results that become ready, in window order. Each worker's
thread is one compiled call that takes windows until there are no more."""

import os
import threading
import time
import weakref

import numpy as np

from windrow.kernels.farm.content import INTERRUPTED, NO_MEMORY, OVER_TIME
from windrow.kernels.farm.layout import Worker
from windrow.kernels.farm.memory import FarmMemory, farm_calls
from windrow.kernels.farm.results import Results, add, joined, results_of
from windrow.schemas.errors import KernelOutOfMemory, WorkerLost, WrongParameter

WAIT_MS = 50
ALL, A_QUARTER = 1, 4
LONGEST_START_S, SHORTLY_S = 0.2, 0.001
GRACE_S = 5.0
"""How long behind its time limit a function may take to see that it must end."""


class WorkerThreads:
    """The workers' threads. Knows the memory, not the farm's object, which may end while they run. They are threads of
    the process that made them: in a forked one there are none, and the monitors may be as they left them for ever."""

    def __init__(self, memory: FarmMemory):
        self._memory, self._failed, self._process = memory, [], os.getpid()
        self._begun = 0
        self._threads = []
        for number in range(memory.farm.worker_count):
            given, name = (memory, memory.farm.workers[number], self._failed), f"windrow-farm-{number}"
            self._threads.append(threading.Thread(target=_work, args=given, name=name, daemon=True))

    def start(self) -> None:
        """Whatever happens meanwhile, `end` knows which ones were begun."""
        for thread in self._threads:
            self._begun += 1
            thread.start()

    def are_here(self) -> bool:
        return os.getpid() == self._process

    def require_alive(self) -> None:
        """WorkerLost where a thread has ended before the farm was closed."""
        if self._failed or not all(thread.is_alive() for thread in self._threads):
            raise _lost(f"a worker's thread ended: {self._failed[0]!r}" if self._failed else "a thread ended")

    def end(self, grace_s: float) -> None:
        """End all threads and give their memory back. WorkerLost where one doesn't end: its memory is kept then."""
        if not self.are_here():
            return
        address, until_s = self._memory.farm.address, time.monotonic() + grace_s
        farm_calls().close(address, INTERRUPTED)
        for thread in self._threads[: self._begun]:
            _join(thread, until_s)
        if any(thread.is_alive() for thread in self._threads):
            raise _lost(f"a function doesn't end {grace_s:g} s after it was told to")
        farm_calls().release_all(address)


def _lost(what: str) -> WorkerLost:
    return WorkerLost(f"{what}; this farm gives no more results. Run it again, or let the function check must_stop")


def _join(thread: threading.Thread, until_s: float) -> None:
    """Wait for the end of a thread. One whose start was interrupted may say only later that it has begun."""
    begins_s = min(until_s, time.monotonic() + LONGEST_START_S)
    while thread.ident is None and time.monotonic() < begins_s:
        time.sleep(SHORTLY_S)
    if thread.ident is not None:
        thread.join(max(0.0, until_s - time.monotonic()))


def _work(memory: FarmMemory, worker: Worker, failed: list[BaseException]) -> None:
    """One window that gets no memory is a result of that status; anything else ends the farm."""
    address = memory.farm.address
    try:
        while not _is_over(address, worker):
            farm_calls().fail(address, worker.address, NO_MEMORY)
    except BaseException as error:
        failed.append(error)
        farm_calls().close(address, INTERRUPTED)


def _is_over(address: int, worker: Worker) -> bool:
    """Whether a worker's windows are over; False where the one that it computes got no memory."""
    try:
        farm_calls().work(address, worker.address)
    except KernelOutOfMemory:
        if not worker.is_busy:
            raise
        return False
    return True


class RunningFarm:
    """From the start of its threads to `close`; used by one thread. limit_s: of the function, for a window."""

    def __init__(self, memory: FarmMemory, limit_s: float):
        self._calls, self.memory, self.farm = farm_calls(), memory, memory.farm
        self._limit_s, self._look_s, self._longest = limit_s, 0.0, 0
        self._parts: list[Results] = []
        self._calls.create_all(self.farm.address)
        self._threads = WorkerThreads(memory)
        self._end = weakref.finalize(self, self._threads.end, GRACE_S)
        try:
            self._threads.start()
        except BaseException:  # an interrupt: the caller hasn't the farm yet, and can't close it
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

    def collect(self) -> None:
        """Keep the results that became ready, in window order."""
        farm = self.farm
        count = self._calls.ready(farm.address)
        if count:
            add(self._parts, results_of(self.memory, (farm.collected + np.arange(count)) & (farm.ring - 1)))
            farm.collected += count

    def take(self) -> Results:
        """The results since the last time."""
        if self._end.alive and self._threads.are_here():
            self._longest_ns()
            self.collect()
        parts, self._parts = self._parts, []
        return joined([results_of(self.memory, np.zeros(0, np.int64)), *parts])

    def wait(self, seen: int, share: int = A_QUARTER) -> None:
        """Until one of `share` parts of the windows is computed, or `changes` of the farm isn't `seen` any more and
        that may be memory which lacks; at most WAIT_MS. Keeps what became ready. Raises WorkerLost."""
        self._calls.wait_for_change(self.farm.address, seen, share, WAIT_MS)
        self._threads.require_alive()
        self.end_overdue()
        self.collect()

    def end_overdue(self) -> None:
        """Ask functions that take too long to end. WorkerLost where one doesn't."""
        if self._longest_ns() > (self._limit_s + GRACE_S) * 1e9:
            raise _lost(f"a function doesn't end {GRACE_S:g} s after its limit of {self._limit_s:g} s")

    def _longest_ns(self) -> int:
        """How long functions have worked at most; looked at every WAIT_MS: it keeps workers out of the monitor."""
        now_s = time.monotonic()
        if now_s >= self._look_s:
            self._look_s = now_s + WAIT_MS / 1000
            limit_ns = round(self._limit_s * 1e9)
            self._longest = self._calls.stop_overdue(self.farm.address, OVER_TIME, limit_ns)
        return self._longest
