"""Rounds of a measurement on a machine that others use too: those in which they took the least.

Two workers on two cores lose what anything else takes, one worker loses nothing: a ratio of both says as much of the
neighbours as of the code. Which rounds count is decided by what others took, never by what was measured.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")
ROUNDS_FOR_ONE = 3
BUSY = (0, 1, 2, 5, 6, 7)
"""Of /proc/stat's first line: user, nice, system, both kinds of interrupts, and what the host stole."""


def least_disturbed(measure: Callable[[], Value], rounds: int) -> list[Value]:
    """So many rounds, of three times as many: those in which other processes and the host took the least processor
    time, in the order in which they were measured."""
    found = [_measured(measure) for _ in range(ROUNDS_FOR_ONE * rounds)]
    kept = sorted(sorted(range(len(found)), key=lambda place: found[place][0])[:rounds])
    return [found[place][1] for place in kept]


def _measured(measure: Callable[[], Value]) -> tuple[float, Value]:
    """Share of a core that others took meanwhile, and what came out."""
    began_s, before_s = time.perf_counter(), _others_s()
    value = measure()
    return (_others_s() - before_s) / (time.perf_counter() - began_s), value


def _others_s() -> float:
    """Processor seconds so far of all but this process."""
    fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    return sum(int(fields[place]) for place in BUSY) / os.sysconf("SC_CLK_TCK") - time.process_time()
