"""The rows of the moving watermark: windows that it passes, in their order, each once."""

from kernels.aggregators._dispatch import FOREVER
from kernels.replay.by_context.emitted import (
    forget_emitted,
    insert_emitted,
    place_behind_found,
    place_in_emitted,
)
from kernels.replay.by_context.emitted_rows import emit_row
from kernels.replay.clock import move_floor, move_watermark, pass_step
from kernels.replay.rows import FINAL, LATE, ON_TIME
from kernels.replay.stop import must_stop
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from kernels.runtime.calls import call
from kernels.runtime.memory import inner, not_inlined


@inner
def reached(r):
    """Up to which `passes` windows have rows now."""
    if r.emit == EMIT_ARRIVAL:
        return FOREVER
    return r.clock.floor if r.emit == EMIT_FINAL else r.clock.watermark


@inner
def advance_key(r, step):
    """Move the key on to the watermark before `step`."""
    clock = r.clock
    if step == clock.step:
        return
    before = clock.step
    move_watermark(clock, step)
    move_floor(clock)
    if r.emit != EMIT_ARRIVAL:
        _pass_windows(r, before)
    _forget(r)


@inner
def _pass_windows(r, step):
    """Rows of the windows that the watermark has passed since, of emit final those that it will change no more."""
    not_inlined()
    derived, clock = r.derived, r.clock
    source, found = derived.source, derived.found
    allowed = clock.allowed if r.emit == EMIT_FINAL else 0
    limit = reached(r)
    if limit < derived.next_passes:
        return
    derived.limit = limit
    call(source.go_on, r)
    derived.next_passes = FOREVER
    while call(source.next, r) == 1 and not must_stop(r.stop):
        if found.passes > limit:
            derived.next_passes = found.passes
            call(source.go_back, r)
            break
        passes = found.passes if found.passes == FOREVER else found.passes + allowed
        step = pass_step(clock, step, passes)
        _emit_passed(r, clock.ticks[step])
        derived.frontier, derived.frontier_row = found.last, found.last_row


@inner
def _emit_passed(r, tick):
    found, emitted = r.derived.found, r.derived.emitted
    state = call(r.derived.source.state, r)
    entry = insert_emitted(r.derived, place_in_emitted(emitted, found), found)
    firing = FINAL if r.emit == EMIT_FINAL else ON_TIME if entry.revision < 0 else LATE
    emit_row(r, entry, firing, tick, state)


@inner
def _forget(r):
    """Now and then: that it has as many tuples again is worth it."""
    derived = r.derived
    is_worth_it = derived.taken >= derived.kept + derived.least_forgotten
    if is_worth_it and r.clock.floor != FOREVER and not must_stop(r.stop):
        forget_what_is_final(r)


@inner
def forget_what_is_final(r):
    """What no window needs that can still have rows."""
    not_inlined()
    derived, floor = r.derived, r.clock.floor
    source, found = derived.source, derived.found
    call(source.go_before, r, floor, -1)
    forget_emitted(derived.emitted, place_behind_found(derived.emitted, found))
    forget_emitted(derived.closed, place_behind_found(derived.closed, found))
    derived.kept, derived.taken = call(source.forget, r, floor), 0
