"""What a piece of work costs: processor seconds, of a thread, or of this process and all that it started; memory."""

import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

from windrow.processes import proc

Made = TypeVar("Made")


def timed(work: Callable[[], Made], clock: Callable[[], float] = time.thread_time) -> tuple[float, Made]:
    """(seconds, what it gave). Of this thread, unless another clock is given: other work on the machine then costs
    caches, not seconds."""
    began_s = clock()
    made = work()
    return clock() - began_s, made


def least_s(work: Callable[[], object], rounds: int, clock: Callable[[], float] = time.thread_time) -> float:
    """Of the quickest of some rounds."""
    return min(timed(work, clock)[0] for _ in range(rounds))


class Spent(NamedTuple):
    """Of one piece of work."""

    wall_s: float
    processor_s: float


def spent(work: Callable[[], object]) -> Spent:
    """Do it once."""
    began_s, before_s = time.perf_counter(), tree_s()
    work()
    return Spent(time.perf_counter() - began_s, tree_s() - before_s)


def tree_s() -> float:
    """Processor seconds so far of this process, of what it started and of what that started, those that ended too."""
    parents = proc.parents()
    return sum(proc.processor_s(each, with_ended_children=True) for each in parents if _is_ours(each, parents))


def started_s() -> float:
    """The same of all that this process started, but not of itself. Those that ended count to the microsecond, those
    that live to the clock's tick."""
    ended, parents = resource.getrusage(resource.RUSAGE_CHILDREN), proc.parents()
    live = (each for each in parents if each != os.getpid() and _is_ours(each, parents))
    return ended.ru_utime + ended.ru_stime + sum(proc.processor_s(each, with_ended_children=True) for each in live)


def _is_ours(process: int, parents: dict[int, int]) -> bool:
    while process in parents and process != os.getpid():
        process = parents[process]
    return process == os.getpid()


def peak_mib(process: int) -> float:
    """The most resident memory that a process has had. Not getrusage's maximum, which a process inherits from the one
    that started it."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024
