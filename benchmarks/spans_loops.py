"""The compiled loop in which benchmarks run span kernels alone, by the same tables as objects and replays do."""

from windrow.kernels.bounds import first_end_after, window_end, window_start
from windrow.kernels.bounds.grid import Grid
from windrow.kernels.runtime.fields import Address, Count, Microseconds, Pointer, Ref, Word
from windrow.kernels.runtime.memory import entry, inner
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.spans._dispatch import SpanKernel
from windrow.kernels.states import events_of, gather, lower
from windrow.kernels.states.layout import StatePlan


class DrivenSpans(Struct):
    """A kernel, the events that go into it in order of their ends, and what came out: how many windows, and how many
    events over all of them. next: number of the window to be released next."""

    kernel: Ref(SpanKernel)
    structure: Address
    plan: Ref(StatePlan)
    window: Ref(Grid)
    state: Address
    events: Address
    starts: Pointer(Microseconds)
    ends: Pointer(Microseconds)
    postponed: Microseconds
    next: Word
    windows: Count
    covered: Count


@entry
def take(driven, first, end):
    """SPANS algorithm 6: each event into the kernel alone, once the windows are released that were due before it."""
    driven = DrivenSpans(driven)
    for row in range(first, end):
        _release(driven, driven.ends[row] - driven.postponed)
        gather(driven.plan, driven.state, driven.events, row, row + 1)
        driven.kernel.insert_span(driven.structure, driven.starts[row], driven.ends[row], driven.state)


@entry
def release_until(driven, until):
    """What is due once the last event is in."""
    _release(DrivenSpans(driven), until)


@inner
def _release(driven, until):
    """Answer all windows that end until then; stretches without events are jumped over."""
    number = driven.next
    while window_end(driven.window, number) <= until:
        low, high = window_start(driven.window, number), window_end(driven.window, number)
        state = driven.kernel.state(driven.structure, 0, low, high)
        if events_of(state) > 0:
            _answer(driven, state)
            number += 1
        else:
            kept = driven.kernel.first_from(driven.structure, low)
            number = max(number + 1, first_end_after(driven.window, min(kept, until)))
    number = min(number, first_end_after(driven.window, until))
    if number > driven.next:
        driven.next = number
        driven.kernel.evict(driven.structure, window_start(driven.window, number) - 1)


@inner
def _answer(driven, state):
    driven.windows += 1
    driven.covered += events_of(state)
    for slot in range(driven.plan.slot_count):
        lower(driven.plan, state, slot)
