"""Compile the kernels into Numba's disk cache before anything is replayed: `python -m kernels.warm`.

Half a minute of one core the first time, a second afterwards. Without it every worker of a Spark job compiles
for itself. The caller sets NUMBA_CACHE_DIR to a folder named by a hash of kernels/, since Numba doesn't
notice edits in other files.
"""

import numpy as np

from kernels.aggregators import make
from kernels.monoids import AggregateSpec
from kernels.replay import AggregatePlan, EventColumns, PassTicks, ReplayRules, WindowSpec, replay_keys
from schemas.query import agg


def warm_replay() -> int:
    """Compile or load the replay; returns the rows of a replay of one event."""
    one = np.array([1], np.int64)
    columns = EventColumns(np.array([0, 1]), one, one, one[None, :], np.ones((1, 1), np.bool_))
    rows = replay_keys(
        columns,
        WindowSpec("tumbling", 10),
        AggregatePlan((AggregateSpec("count"),)),
        PassTicks(one, one),
        ReplayRules(0, 0, "arrival"),
    )
    return len(rows.key)


def warm_objects() -> None:
    """Compile or load the object faces."""
    window = make("finger_tree", {"events": agg("count")})
    window.insert(1, 1.0)
    window.query()
    window.check()


if __name__ == "__main__":
    warm_replay()
    warm_objects()
