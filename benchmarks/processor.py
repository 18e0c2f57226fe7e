"""What a piece of work costs, in processor seconds of this process and of all that it started."""

import os
import resource
import time
from collections.abc import Callable
from typing import NamedTuple

from processes import proc


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
