"""The logic of context-bound windows: each tick's tuples are compared with the watermark before it, inserted, then what
changed has rows, and the watermark passes windows, in their order, each once (semantics §1)."""

from kernels.aggregators._dispatch import FOREVER
from kernels.frames._frames import is_until
from kernels.frames._ordered import drop_all, insert_in_order
from kernels.replay.by_context.emitted import (
    emit_differences,
    emit_row,
    forget_emitted,
    insert_emitted,
    place_behind_found,
    place_in_emitted,
)
from kernels.replay.by_context.state import find_none, note_changed_until
from kernels.replay.carried import load_key, save_key
from kernels.replay.clock import NEVER, move_floor, move_watermark, pass_step, start_clock
from kernels.replay.context import Replay, WindowLogic
from kernels.replay.rows import FINAL, LATE, ON_TIME
from kernels.replay.stop import DAMAGED, EVENTS_A_POLL, must_stop, must_stop_at
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from kernels.runtime.bisection import gallop
from kernels.runtime.memory import inner, not_inlined
from kernels.runtime.tables import lazy_table

LEAST_RUN = 8
# Rows that are looked at before it is known whether one of them closes a window: with 4,096 at a time, frames of two
# tuples took ten times as long.


def start_key(r: Replay):
    start_clock(r.clock)
    derived = r.derived
    derived.emitted.used = derived.emitted.first_kept = 0
    derived.closed.used = derived.closed.first_kept = 0
    drop_all(derived.late)
    find_none(derived.forgotten)
    derived.frontier, derived.frontier_row = NEVER, -1
    derived.next_passes = derived.youngest = derived.limit = NEVER
    derived.taken = derived.kept = 0
    derived.run_rows = LEAST_RUN
    if derived.source.start_key != 0:
        derived.source.start_key(r)
    goes_on = r.carried.words.address != 0 and r.carried.words[r.key] != 0
    if goes_on and not load_key(r, r.carried.words[r.key], r.events.first_of_key[r.key]):
        r.stop.asked = DAMAGED


def end_key(r: Replay):
    if r.carried.is_wanted:
        _forget_what_is_final(r)
        save_key(r, r.events.first_of_key[r.key + 1])


def take_run(r: Replay, first, end):
    """Rows that come in order and in time, up to the first that closes a window: none has a row before the watermark
    moves on. `first` if that row isn't such a one."""
    source = r.derived.source
    if source.take_run == 0 or r.emit == EMIT_ARRIVAL:
        return first
    derived = r.derived
    last = _end_of_run(r, first, min(end, first + derived.run_rows))
    if last == first:
        return first
    taken = source.take_run(r, first, last)
    derived.run_rows = min(2 * derived.run_rows, EVENTS_A_POLL) if taken == last else LEAST_RUN
    derived.taken += taken - first
    if taken > first:
        derived.youngest = r.events.starts[taken - 1]
    return taken


@inner
def _end_of_run(r, row, end):
    """The row behind those that are in order, and in time at their own tick, before a window passes."""
    derived, events, clock = r.derived, r.events, r.clock
    allowed = clock.allowed if r.emit == EMIT_FINAL else 0
    youngest, step, watermark = derived.youngest, clock.step, clock.watermark
    while row < end:
        tick, time = events.arrivals[row], events.starts[row]
        if step < clock.steps and clock.ticks[step] < tick:
            step = gallop(clock.ticks, step, clock.steps, tick)
            watermark = clock.marks[step - 1]
            if watermark - allowed >= derived.next_passes:
                break
        if time < youngest or time <= watermark:
            break
        youngest = time
        row += 1
    return row


def take_burst(r: Replay, first, end, tick):
    derived = r.derived
    derived.burst_row = first
    derived.changed_from, derived.changed_to = FOREVER, NEVER
    for row in range(first, end):
        if must_stop_at(r.stop, row):
            return
        _take(r, row)
    if derived.source.close_burst != 0:
        derived.source.close_burst(r)
    if derived.changed_from < FOREVER:
        emit_differences(r, tick, _reached(r))


@inner
def _take(r, row):
    derived, clock, time = r.derived, r.clock, r.events.starts[row]
    if time < clock.floor or derived.source.take(r, row) == 0:
        return
    derived.taken += 1
    derived.youngest = max(derived.youngest, time)
    derived.next_passes = min(derived.next_passes, time)
    if time < clock.watermark:
        insert_in_order(derived.late, time, row, clock.watermark)
    if time <= _reached(r):  # at that very time it can close a frame
        if is_until(time, row, derived.changed_from, derived.changed_from_row):
            derived.changed_from, derived.changed_from_row = time, row
        note_changed_until(derived, time, row)


@inner
def _reached(r):
    if r.emit == EMIT_ARRIVAL:
        return FOREVER
    return r.clock.floor if r.emit == EMIT_FINAL else r.clock.watermark


def advance(r: Replay, step):
    derived, clock, before = r.derived, r.clock, r.clock.step
    if step == before:
        return
    move_watermark(clock, step)
    move_floor(clock)
    if r.emit != EMIT_ARRIVAL:
        _pass_windows(r, before)
    is_worth_it = derived.taken >= derived.kept + derived.least_forgotten  # for it has as many tuples again
    if is_worth_it and clock.floor != FOREVER and not must_stop(r.stop):
        _forget_what_is_final(r)


@inner
def _pass_windows(r, step):
    """Rows of the windows that the watermark has passed since, of emit final those that it will change no more."""
    not_inlined()
    derived, clock = r.derived, r.clock
    source, found = derived.source, derived.found
    allowed = clock.allowed if r.emit == EMIT_FINAL else 0
    limit = _reached(r)
    if limit < derived.next_passes:
        return
    derived.limit = limit
    source.go_on(r)
    derived.next_passes = FOREVER
    while source.next(r) == 1 and not must_stop(r.stop):
        if found.passes > limit:
            derived.next_passes = found.passes
            if source.go_back != 0:
                source.go_back(r)
            break
        passes = found.passes if found.passes == FOREVER else found.passes + allowed
        step = pass_step(clock, step, passes)
        entry = insert_emitted(derived, place_in_emitted(derived.emitted, found), found)
        firing = FINAL if r.emit == EMIT_FINAL else ON_TIME if entry.revision < 0 else LATE
        emit_row(r, entry, firing, clock.ticks[step], source.state(r))
        derived.frontier, derived.frontier_row = found.last, found.last_row


@inner
def _forget_what_is_final(r):
    not_inlined()
    derived, floor = r.derived, r.clock.floor
    source, found = derived.source, derived.found
    source.go_before(r, floor, -1)
    forget_emitted(derived.emitted, place_behind_found(derived.emitted, found))
    forget_emitted(derived.closed, place_behind_found(derived.closed, found))
    derived.kept, derived.taken = source.forget(r, floor), 0


context_bound_logic = lazy_table(
    WindowLogic, "context_bound_windows", start_key, take_run, take_burst, advance, end_key
)
