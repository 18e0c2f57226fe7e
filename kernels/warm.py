"""Compile the kernels into Numba's disk cache before anything is replayed: `python -m kernels.warm [PART …]`.

A minute or two of one core the first time, two seconds afterwards; without it every worker of a Spark job compiles for
itself. The parts can be compiled side by side, those of the second round once the first is there. The caller sets
NUMBA_CACHE_DIR to a folder named by a hash of kernels/, since Numba doesn't notice edits in other files.
"""

import sys

import numpy as np
from numba import types

from kernels import aggregators, operations
from kernels.each import KeyedEvents, answer_each
from kernels.each.entry import FEW
from kernels.monoids import AggregateSpec
from kernels.ranks.door import door as ranks_door
from kernels.replay import AggregatePlan, EventColumns, PassTicks, ReplayRules, WindowSpec, replay_keys
from kernels.replay.loop import replay
from schemas.query import agg

ONE = np.array([1], np.int64)
VALID = np.ones((1, 1), np.bool_)


def compile_replay() -> None:
    """The replay, without running it: that would take all the other parts."""
    if hasattr(replay, "compile"):  # not with the JIT off
        replay.compile((types.int64,) * 3)  # as a call does: a whole signature is cached as something else


def warm_replay() -> int:
    """Compile or load the replay; returns the rows of a replay of one event."""
    columns = EventColumns(np.array([0, 1]), ONE, ONE, ONE[None, :], VALID)
    rows = replay_keys(
        columns,
        WindowSpec("tumbling", 10),
        AggregatePlan((AggregateSpec("count"),)),
        PassTicks(ONE, ONE),
        ReplayRules(0, 0, "arrival"),
    )
    return len(rows.key)


def warm_each() -> None:
    """Compile or load the answers after each event."""
    times = np.arange(2 * FEW)
    times[1::2] -= 2  # late, so that they are ranked
    valid = np.ones((1, len(times)), np.bool_)
    answer_each(KeyedEvents(np.array([0, len(times)]), times, times[None, :], valid), 10, (AggregateSpec("count"),))


def warm_objects(names: list[str]) -> None:
    """Compile or load what the objects of some kernels have beside their doors."""
    for kernel in names:
        window = aggregators.make(kernel, {"events": agg("count")})
        window.insert(1)
        window.evict(1)
        window.range_query(0, 1)
        window.check()


def compile_doors(names: list[str]) -> None:
    """Compile the kernels themselves, each behind its own address."""
    for kernel in names:
        aggregators.face(kernel).door()


KERNELS = aggregators.kernels()
FIRST_ROUND = {"operations": operations.addresses, "finger_tree": lambda: compile_doors(["finger_tree"]),
               "doors": lambda: compile_doors([name for name in KERNELS if name != "finger_tree"]),
               "ranks": ranks_door, "replay": compile_replay}
SECOND_ROUND = {"each": warm_each, "rows": warm_replay, "objects": lambda: warm_objects(KERNELS)}


if __name__ == "__main__":
    for part, compile_part in (FIRST_ROUND | SECOND_ROUND).items():
        if part in (sys.argv[1:] or [part]):
            compile_part()
