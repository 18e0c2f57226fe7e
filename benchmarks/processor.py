"""What a piece of work costs, in processor seconds of this process and of all that it started."""

import os
import time
from collections.abc import Callable
from typing import NamedTuple

from processes import proc

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


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
    parents = {process: found.parent for process in proc.all_processes() if (found := proc.status(process))}
    return sum(proc.processor_ticks(process) for process in parents if _is_ours(process, parents)) / _TICKS_PER_S


def _is_ours(process: int, parents: dict[int, int]) -> bool:
    while process in parents and process != os.getpid():
        process = parents[process]
    return process == os.getpid()
