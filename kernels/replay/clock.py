"""The clock of a replay: the staircase of the watermark, when it passed what. P(E) is the tick of the first step whose
watermark is ≥ E.

    ticks   10   20   50        at tick 20 the watermark was 5 before, and is 15 from then on
    marks    5   15   40        P(12) = 20

A replay keeps only the steps at which some window's end, or end + allowed lateness, is reached: the others
answer no question. Each key then walks the same short staircase, galloping.
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds import first_end_after, window_end
from windrow.kernels.runtime.bisection import gallop
from windrow.kernels.runtime.fields import Count, Microseconds, Place, Pointer
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.struct import Struct

NEVER = -(1 << 62)
"""The watermark before everything."""
# FOREVER is the watermark once the stream has ended.


class Clock(Struct):
    """The staircase, and where a key stands on it: step is the first not before the tick at hand, watermark the one
    before that tick, floor that − allowed: windows that end by it are final. patience: how far the watermark must be
    beyond the end of a window that then has its first row: allowed with emit final, else 0. begins: the tick from which
    a key's events come; what was passed before it has no rows; NEVER where they are all its events."""

    ticks: Pointer(Microseconds)
    marks: Pointer(Microseconds)
    steps: Count
    allowed: Microseconds
    patience: Microseconds
    begins: Microseconds
    step: Place
    watermark: Microseconds
    floor: Microseconds


@inner
def keep_steps(clock, window):
    """Drop in place the steps that reach no window's end; O(steps)."""
    not_inlined()
    kept, next_end, next_final = 0, NEVER, NEVER
    for step in range(clock.steps):
        mark = clock.marks[step]
        final = mark - clock.allowed
        if mark >= next_end or final >= next_final:
            clock.ticks[kept] = clock.ticks[step]
            clock.marks[kept] = mark
            kept += 1
            if mark == FOREVER:
                break
            next_end = window_end(window, first_end_after(window, mark))
            next_final = window_end(window, first_end_after(window, final))
    clock.steps = kept


@inner
def move_watermark(clock, step):
    """On to the watermark before `step`; windows become final only when the floor moves too."""
    clock.step = step
    clock.watermark = clock.marks[step - 1]


@inner
def move_floor(clock):
    clock.floor = FOREVER if clock.watermark == FOREVER else clock.watermark - clock.allowed


@inner
def next_tick(clock):
    """Tick of the next step; FOREVER behind the last."""
    return clock.ticks[clock.step] if clock.step < clock.steps else FOREVER


@inner
def pass_step(clock, step, time):
    """First step at or after `step` whose watermark reaches `time`."""
    not_inlined()
    return gallop(clock.marks, step, clock.steps, time)


@inner
def step_before(clock, tick):
    """Number of steps before `tick`, which is not before the step at hand."""
    not_inlined()
    return gallop(clock.ticks, clock.step, clock.steps, tick)


@inner
def start_clock(clock):
    clock.step = 0
    clock.watermark = clock.floor = NEVER
    if clock.begins != NEVER:
        passed = step_before(clock, clock.begins)
        if passed > 0:
            move_watermark(clock, passed)
            move_floor(clock)
