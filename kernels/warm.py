"""Compile what replays use before anything is replayed (pipelines/compiled.py).

The parts can be compiled side by side, those of the second round once the first is there. What no replay uses unless a
query names it, and aggregates beyond COMMON, are compiled when they are first used.
"""

import numpy as np

from windrow.kernels import aggregators, spans
from windrow.kernels.api import AggregatePlan, EventColumns, PassTicks, ReplayRules, WindowSpec, replay_keys
from windrow.kernels.bounds import Extent
from windrow.kernels.kinds import kinds, window_kind
from windrow.kernels.monoid import AggregateSpec
from windrow.kernels.monoids import COMMON, monoids_of
from windrow.kernels.probes.newest import newest_rows
from windrow.kernels.probes.probe import probe_calls
from windrow.kernels.replay.kernel_selection import FINGER_TREE
from windrow.kernels.replay.loop import replay_calls
from windrow.kernels.replay.numbered.in_time import in_time_logic, rolling_in_time
from windrow.kernels.replay.numbered.logic import numbered_logic
from windrow.kernels.spans import _planner as planner
from windrow.kernels.spans.se_slicing import slice_ends
from windrow.kernels.states.tables import monoid_table, plan_table

ONE = np.array([1], np.int64)
VALID = np.ones((1, 1), np.bool_)
TUMBLING = WindowSpec("tumbling", 10)


def compile_states() -> None:
    """The operations on states of the common aggregates."""
    plan_table()
    for function in COMMON:
        for name in monoids_of(function):
            monoid_table(function, name)


def compile_kernels() -> None:
    """The kernels that keys get unless they are named another."""
    aggregators.window_class(FINGER_TREE).dispatch()
    for kernel in planner.KERNELS:
        spans.window_class(kernel).dispatch()
    slice_ends()


def compile_windows() -> None:
    """How each window kind takes events, and when its rows come."""
    for name in kinds():
        kind = window_kind(name)
        if not kind.depends_on_others:
            kind.placement()
            kind.make(WindowSpec(name, 10, 5), Extent(0, 0))
    for table in (numbered_logic, in_time_logic, rolling_in_time):
        table()


def compile_replay() -> None:
    """The replay, without running it: that would take all the other parts; and the pass over probes."""
    replay_calls()
    probe_calls()
    newest_rows(ONE, ONE, 1)


def warm_replay(window: WindowSpec = TUMBLING, emit: str = "arrival") -> int:
    """Compile or load the replay; returns the rows of a replay of one event."""
    columns = EventColumns(np.array([0, 1]), ONE, ONE, ONE[None, :], VALID)
    rules = ReplayRules(0, 0, emit, complete_tick_us=1)
    rows = replay_keys(columns, window, AggregatePlan((AggregateSpec("count"),)), PassTicks(ONE, ONE), rules)
    return len(rows.key)


def warm_in_time() -> int:
    """The same of a key whose rolling windows are made at once."""
    return warm_replay(WindowSpec("rolling", 10), "watermark")


FIRST_ROUND = {
    "kernels": compile_kernels,
    "windows": compile_windows,
    "states": compile_states,
    "replay": compile_replay,
}
SECOND_ROUND = {"rows": warm_replay, "in_time": warm_in_time}
