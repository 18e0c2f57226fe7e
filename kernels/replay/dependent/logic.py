"""The logic of context-bound windows: each tick's tuples are compared with the watermark before it, inserted, then what
changed has rows, and the watermark passes windows, in their order, each once (semantics §1)."""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.frames._frames import is_until
from windrow.kernels.frames._ordered import drop_all, insert_in_order
from windrow.kernels.replay.carried import load_dependent, save_dependent, saved_of
from windrow.kernels.replay.clock import NEVER, move_floor, move_watermark, pass_step
from windrow.kernels.replay.context import Replay, WindowLogic
from windrow.kernels.replay.dependent.emitted import (
    emit_differences,
    emit_row,
    forget_emitted,
    insert_emitted,
    place_behind_found,
    place_in_emitted,
    start_emitted,
)
from windrow.kernels.replay.dependent.state import find_none, move_up, set_place
from windrow.kernels.replay.rows import firing_of_change, firing_of_pass
from windrow.kernels.replay.stop import DAMAGED, EVENTS_A_POLL, must_stop, must_stop_at
from windrow.kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from windrow.kernels.runtime.bisection import gallop
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.tables import lazy_table

LEAST_RUN = 8
# Rows that are looked at before it is known whether one of them closes a window: with 4,096 at a time, frames of two
# tuples took ten times as long.


def start_key(r: Replay):
    dependent = r.dependent
    start_emitted(dependent)
    drop_all(dependent.late)
    find_none(dependent.forgotten)
    set_place(dependent.frontier, NEVER, -1)
    dependent.next_passes = dependent.youngest = dependent.limit = NEVER
    dependent.taken = dependent.kept = 0
    dependent.run_rows = LEAST_RUN
    r.source.start_key(r)
    saved, end = saved_of(r.carried, r.key)
    if saved != 0 and not load_dependent(r, saved, end):
        r.stop.asked = DAMAGED


def save_key(r: Replay):
    _forget_what_is_final(r)
    save_dependent(r)


def take_run(r: Replay, first, end):
    """Rows that come in order and in time, up to the first that closes a window: none has a row before the watermark
    moves on. `first` if that row isn't such a one."""
    source = r.source
    if source.take_run == 0 or r.emit == EMIT_ARRIVAL:
        return first
    dependent = r.dependent
    last = _end_of_run(r, first, min(end, first + dependent.run_rows))
    if last == first:
        return first
    taken = source.take_run(r, first, last)
    dependent.run_rows = min(2 * dependent.run_rows, EVENTS_A_POLL) if taken == last else LEAST_RUN
    dependent.taken += taken - first
    if taken > first:
        dependent.youngest = r.events.starts[taken - 1]
    return taken


@inner
def _end_of_run(r, row, end):
    """The row behind those that are in order, and in time at their own tick, before a window passes."""
    dependent, events, clock = r.dependent, r.events, r.clock
    youngest, step, watermark = dependent.youngest, clock.step, clock.watermark
    while row < end:
        tick, time = events.arrivals[row], events.starts[row]
        if step < clock.steps and clock.ticks[step] < tick:
            step = gallop(clock.ticks, step, clock.steps, tick)
            watermark = clock.marks[step - 1]
            if watermark - clock.patience >= dependent.next_passes:
                break
        if time < youngest or time <= watermark:
            break
        youngest = time
        row += 1
    return row


def take_burst(r: Replay, first, end, tick):
    dependent = r.dependent
    dependent.burst_row = first
    dependent.changed_from.time, dependent.changed_to.time = FOREVER, NEVER
    for row in range(first, end):
        if must_stop_at(r.stop, row):
            return
        _take(r, row)
    if r.source.close_burst != 0:
        r.source.close_burst(r)
    if dependent.changed_from.time < FOREVER:
        emit_differences(r, tick, _reached(r))


@inner
def _take(r, row):
    dependent, clock, time = r.dependent, r.clock, r.events.starts[row]
    if time < clock.floor or r.source.take(r, row) == 0:
        return
    dependent.taken += 1
    dependent.youngest = max(dependent.youngest, time)
    dependent.next_passes = min(dependent.next_passes, time)
    if time < clock.watermark:
        insert_in_order(dependent.late, time, row, clock.watermark)
    if time <= _reached(r):  # at that very time it can close a frame
        if is_until(time, row, dependent.changed_from.time, dependent.changed_from.row):
            set_place(dependent.changed_from, time, row)
        move_up(dependent.changed_to, time, row)


@inner
def _reached(r):
    if r.emit == EMIT_ARRIVAL:
        return FOREVER
    return r.clock.floor if r.emit == EMIT_FINAL else r.clock.watermark


def advance(r: Replay, step):
    dependent, clock, before = r.dependent, r.clock, r.clock.step
    move_watermark(clock, step)
    move_floor(clock)
    if r.emit != EMIT_ARRIVAL:
        _pass_windows(r, before)
    is_worth_it = dependent.taken >= dependent.kept + dependent.least_forgotten  # for it has as many tuples again
    if is_worth_it and clock.floor != FOREVER and not must_stop(r.stop):
        _forget_what_is_final(r)


@inner
def _pass_windows(r, step):
    """Rows of the windows that the watermark has passed since, of emit final those that it will change no more."""
    not_inlined()
    dependent, clock = r.dependent, r.clock
    source, found = r.source, dependent.found
    limit = _reached(r)
    if limit < dependent.next_passes:
        return
    dependent.limit = limit
    source.go_on(r)
    dependent.next_passes = FOREVER
    while source.next(r) == 1 and not must_stop(r.stop):
        if found.passes > limit:
            dependent.next_passes = found.passes
            if source.go_back != 0:
                source.go_back(r)
            break
        passes = found.passes if found.passes == FOREVER else found.passes + clock.patience
        step = pass_step(clock, step, passes)
        entry = insert_emitted(dependent, place_in_emitted(dependent.emitted, found), found)
        firing = firing_of_pass(r) if entry.revision < 0 else firing_of_change(r, found.end)
        emit_row(r, entry, firing, clock.ticks[step], source.state(r))
        set_place(dependent.frontier, found.last, found.last_row)


@inner
def _forget_what_is_final(r):
    not_inlined()
    dependent, floor = r.dependent, r.clock.floor
    source, found = r.source, dependent.found
    source.go_before(r, floor, -1)
    forget_emitted(dependent.emitted, place_behind_found(dependent.emitted, found))
    forget_emitted(dependent.closed, place_behind_found(dependent.closed, found))
    dependent.kept, dependent.taken = source.forget(r, floor), 0


context_bound_logic = lazy_table(
    WindowLogic, "context_bound_windows", start_key, take_run, take_burst, advance, save_key
)
