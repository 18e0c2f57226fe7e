"""What the moving watermark does to a key: rows of the windows that it passes, and eviction of what no open
window needs."""

from kernels.aggregators._dispatch import FOREVER
from kernels.replay.changed import window_from, window_state
from kernels.replay.clock import move_floor, move_watermark, pass_step
from kernels.replay.emit import emit
from kernels.replay.open_windows import note_events
from kernels.replay.rows import FINAL, ON_TIME
from kernels.replay.stop import must_stop
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from kernels.replay.walk import UNKNOWN
from kernels.runtime.calls import call
from kernels.runtime.memory import inner, not_inlined
from kernels.states import events_of
from kernels.windows._window import first_end_after, window_end, window_start


@inner
def advance_key(r, step):
    """Move the key on to the watermark before `step`: emit what it passes, in the order of the windows, then
    evict."""
    not_inlined()
    clock = r.clock
    if step == clock.step:
        return
    before, watermark, floor = clock.step, clock.watermark, clock.floor
    move_watermark(clock, step)
    has_events = call(r.placement.is_empty, r) == 0
    # By the old floor: windows that become final in this very step are still in the table of open ones.
    if has_events and r.emit != EMIT_ARRIVAL and (r.emit != EMIT_FINAL or clock.allowed > 0):
        _sweep(r, r.passing, watermark, clock.watermark, before)
    move_floor(clock)
    if not has_events:
        r.passing.next = r.finishing.next = UNKNOWN
        return
    if r.emit == EMIT_FINAL:
        _sweep(r, r.finishing, floor, clock.floor, before)
    _evict(r)


@inner
def _oldest(r):
    return call(r.placement.oldest, r)


@inner
def _evict(r):
    """Once as much is dead as a window is long: moving a leaf up for every single pane cost more than its row."""
    floor = r.clock.floor
    if floor == FOREVER or floor - _oldest(r) < 2 * r.window.size:
        return
    call(r.placement.evict, r, window_start(r.window, first_end_after(r.window, floor)) - 1)


@inner
def _sweep(r, walk, old, new, step):
    """Each window with events whose end lies in (old, new]; empty stretches are jumped over. step: one before
    their pass."""
    not_inlined()
    window, at_events = r.window, r.placement.window_from != 0
    number = walk.next
    is_exact = number != UNKNOWN
    if not is_exact:
        number = first_end_after(window, max(old, _oldest(r)))
    number = window_from(r, number)
    while number != FOREVER and window_end(window, number) <= new and not must_stop(r.stop):
        state = window_state(r, walk, number)
        if events_of(state) == 0:
            number = window_from(r, _next_with_events(r, number))
            is_exact = False
        else:
            step = _pass(r, walk, number, state, step)
            number = window_from(r, number + 1)
            is_exact = not at_events
    # The first window behind one that was passed; after a jump, events may still come to what was jumped over.
    walk.next = number if is_exact else UNKNOWN


@inner
def _next_with_events(r, number):
    """Number of the next window that holds an entry or ends behind it, FOREVER if there is none."""
    time = call(r.placement.first_from, r, window_start(r.window, number))
    return FOREVER if time == FOREVER else max(number + 1, first_end_after(r.window, time))


@inner
def _pass(r, walk, number, state, step):
    """The watermark reaches a window's end, or its end + allowed lateness: a row, or a note of its events.
    Returns the step."""
    not_inlined()
    is_final = walk.address == r.finishing.address
    if r.emit != EMIT_FINAL:
        step = pass_step(r.clock, step, walk.high)
        emit(r, walk, number, ON_TIME, r.clock.ticks[step], state)
    elif is_final:
        step = pass_step(r.clock, step, walk.high + r.clock.allowed)
        if r.clock.allowed == 0:
            note_events(r, number, events_of(state))
        emit(r, walk, number, FINAL, r.clock.ticks[step], state)
    else:
        note_events(r, number, events_of(state))
    return step
