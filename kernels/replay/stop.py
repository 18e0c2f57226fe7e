"""How a compiled call is ended from outside: a word that it polls, per burst, per window and every 4,096 events.

asked        0 · · · 0 3       why it must end: written by the budget of rows, and from what the next two say
from_outside 0 · · · 0 2       a word of the caller's, whose timer's thread may write it
interrupts   7 · 8             of this process, counted by its signal handler: more than before the call
"""

from kernels.runtime.fields import Code, Count, Pointer
from kernels.runtime.memory import inner
from kernels.runtime.struct import Struct

EVENTS_A_POLL = 1 << 12
GO_ON, INTERRUPTED, OVER_TIME, OVER_BUDGET, REFUSED, DAMAGED = range(6)


class Stop(Struct):
    """Why the call must end, if it must."""

    asked: Code
    from_outside: Pointer(Code)
    interrupts: Pointer(Count)
    interrupts_before: Count


@inner
def must_stop(stop):
    """Whether the call must end now."""
    if stop.from_outside[0] != GO_ON:
        stop.asked = stop.from_outside[0]
    if stop.interrupts[0] != stop.interrupts_before:
        stop.asked = INTERRUPTED
    return stop.asked != GO_ON


@inner
def must_stop_at(stop, row):
    """The same, asked for one row of many."""
    return row % EVENTS_A_POLL == 0 and must_stop(stop)
