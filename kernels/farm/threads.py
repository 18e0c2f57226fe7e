"""The threads of a farm's workers: each is one compiled call that takes windows until there are no more."""

import os
import threading
import time

from kernels.farm.content import INTERRUPTED, NO_MEMORY
from kernels.farm.layout import Worker
from kernels.farm.memory import FarmMemory
from kernels.farm.models import FarmCalls
from schemas.errors import KernelOutOfMemory, WorkerLost

LONGEST_START_S, SHORTLY_S = 0.2, 0.001


def lost(what: str) -> WorkerLost:
    """What ends a farm, and what to do."""
    return WorkerLost(f"{what}; nothing more comes of this farm. Run it again, or let the function ask must_stop")


class WorkerThreads:
    """The workers' threads. Knows the memory, not the farm's object, which may end while they run. They are threads of
    the process that made them: in a forked one there are none, and the monitors may be as they left them for ever."""

    def __init__(self, calls: FarmCalls, memory: FarmMemory):
        self._calls, self._memory, self._failed, self._process = calls, memory, [], os.getpid()
        workers = [memory.farm.workers[number] for number in range(memory.farm.worker_count)]
        arguments = [(calls, memory, worker, self._failed) for worker in workers]
        self._threads = [
            threading.Thread(target=_work, args=each, name=f"windrow-farm-{number}", daemon=True)
            for number, each in enumerate(arguments)
        ]
        self._begun = 0

    def start(self) -> None:
        """Let them work; whatever happens meanwhile, `end` knows which ones were begun."""
        for thread in self._threads:
            self._begun += 1
            thread.start()

    def are_here(self) -> bool:
        """Whether this is the process that made them."""
        return os.getpid() == self._process

    def require_alive(self) -> None:
        """WorkerLost where a thread has ended before the farm was closed."""
        if self._failed or not all(thread.is_alive() for thread in self._threads):
            raise lost(f"a worker's thread ended: {self._failed[0]!r}" if self._failed else "a thread ended")

    def end(self, grace_s: float) -> None:
        """End all threads and give their memory back. WorkerLost where one doesn't end: its memory is kept then."""
        if not self.are_here():
            return
        address, until_s = self._memory.farm.address, time.monotonic() + grace_s
        self._calls.close(address, INTERRUPTED)
        for thread in self._threads[: self._begun]:
            _join(thread, until_s)
        if any(thread.is_alive() for thread in self._threads):
            raise lost(f"a function doesn't end {grace_s:g} s after it was asked to")
        self._calls.release_all(address)


def _join(thread: threading.Thread, until_s: float) -> None:
    """Wait for the end of a thread. One whose start was interrupted may say only later that it has begun."""
    begins_s = min(until_s, time.monotonic() + LONGEST_START_S)
    while thread.ident is None and time.monotonic() < begins_s:
        time.sleep(SHORTLY_S)
    if thread.ident is not None:
        thread.join(max(0.0, until_s - time.monotonic()))


def _work(calls: FarmCalls, memory: FarmMemory, worker: Worker, failed: list[BaseException]) -> None:
    """A worker's thread. One window that gets no memory is a result of that status; anything else ends the farm."""
    address = memory.farm.address
    try:
        while not _is_over(calls, address, worker):
            calls.fail(address, worker.address, NO_MEMORY)
    except BaseException as error:
        failed.append(error)
        calls.close(address, INTERRUPTED)


def _is_over(calls: FarmCalls, address: int, worker: Worker) -> bool:
    """Whether a worker's windows are over; False where the one that it computes got no memory."""
    try:
        calls.work(address, worker.address)
    except KernelOutOfMemory:
        if not worker.is_busy:
            raise
        return False
    return True
