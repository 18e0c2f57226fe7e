"""The replay entry: arrival-ordered columns of many keys in, every result row out, in one compiled call.

from kernels.replay import EventColumns, WindowSpec, AggregatePlan, PassTicks, ReplayRules, replay_keys
from kernels.monoids import AggregateSpec

plan = AggregatePlan((AggregateSpec("count"), AggregateSpec("mean", 0, "int64"), AggregateSpec("max", 0, "int64")))
rows = replay_keys(columns, WindowSpec("sliding", 86_400_000_000, 300_000_000), plan, ticks, rules)
"""

from kernels.replay.entry import choose, replay_keys
from kernels.replay.kernel_selection import CHOSEN, KERNELS
from kernels.replay.stop import OVER_TIME
from kernels.replay.types import (
    AggregatePlan,
    CallLimits,
    EventColumns,
    KernelChoice,
    Labels,
    PassTicks,
    ReplayRules,
    ResultRows,
    WindowSpec,
    Zone,
)

FIRINGS = ("final", "on_time", "late", "early")
"""Meaning of ResultRows.firing: an index into this tuple."""
