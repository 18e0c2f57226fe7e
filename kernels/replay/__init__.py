"""The replay of arrival-ordered columns of many keys: what it takes and gives. `kernels/entry.py` runs one."""

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
