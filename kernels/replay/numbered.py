"""The logic of windows that have numbers and bounds in closed form, whichever way their events are held
(placement.py): each tick's events are compared with the watermark before it, inserted, then what changed has rows
(semantics §1)."""

from functools import cache

from kernels.aggregators._dispatch import FOREVER
from kernels.replay.changed import emit_changed, emit_from_kernel
from kernels.replay.clock import NEVER, start_clock
from kernels.replay.context import Replay
from kernels.replay.late_times import forget_late_times
from kernels.replay.placement import WindowLogic
from kernels.replay.stop import must_stop_at
from kernels.replay.sweep import advance_key
from kernels.replay.types import EMIT_ARRIVAL
from kernels.replay.walk import start_walk
from kernels.runtime.calls import call
from kernels.runtime.tables import compiled_table


def start_key(r: Replay):
    start_clock(r.clock)
    forget_late_times(r.late_times)
    for walk in (r.passing, r.finishing, r.changing):
        start_walk(r, walk)


def take_run(r: Replay, first, end):
    """Take the events from `first` on that make no row by themselves; `first` if there are none."""
    if r.placement.take_run == 0 or r.emit == EMIT_ARRIVAL or not r.plan.is_commutative:
        return first
    return call(r.placement.take_run, r, first, end)


def take_burst(r: Replay, first, end, tick):
    r.changed.used = 0
    r.burst_youngest = NEVER
    for row in range(first, end):
        if must_stop_at(r.stop, row):
            return
        call(r.placement.take, r, row)
    only = FOREVER
    if r.placement.close_burst != 0:
        only = call(r.placement.close_burst, r, first, end)
    if only != FOREVER:
        emit_from_kernel(r, only, tick)
    elif r.changed.used > 0:
        emit_changed(r, tick)


def advance(r: Replay, step):
    advance_key(r, step)


@cache
def numbered_logic() -> WindowLogic:
    """The logic of all kinds with closed forms."""
    functions = (start_key, take_run, take_burst, advance)
    return compiled_table(WindowLogic, "numbered_windows", {function.__name__: function for function in functions})
