"""The logic of context-bound windows (placement.py): each tick's tuples are compared with the watermark before it,
inserted, then what changed has rows, and the watermark passes windows (semantics §1)."""

from functools import cache

from kernels.aggregators._dispatch import FOREVER
from kernels.frames._frames import is_until
from kernels.frames._ordered import drop_all, insert_in_order
from kernels.replay.by_context.compare import emit_differences
from kernels.replay.by_context.found import find_none, note_changed_until
from kernels.replay.by_context.passing import advance_key, forget_what_is_final, reached
from kernels.replay.by_context.saving import load_key, save_key
from kernels.replay.clock import NEVER, start_clock
from kernels.replay.context import Replay
from kernels.replay.placement import WindowLogic
from kernels.replay.stop import DAMAGED, EVENTS_A_POLL, must_stop_at
from kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from kernels.runtime.bisection import gallop
from kernels.runtime.calls import call
from kernels.runtime.memory import inner
from kernels.runtime.tables import compiled_table

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
    call(derived.source.start_key, r)
    goes_on = r.carried.words.address != 0 and r.carried.words[r.key] != 0
    if goes_on and not load_key(r, r.carried.words[r.key], r.events.first_of_key[r.key]):
        r.stop.asked = DAMAGED


def end_key(r: Replay):
    if r.carried.is_wanted:
        forget_what_is_final(r)
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
    taken = call(source.take_run, r, first, last)
    derived.run_rows = min(2 * derived.run_rows, EVENTS_A_POLL) if taken == last else LEAST_RUN
    derived.taken += taken - first
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
    call(derived.source.close_burst, r)
    if derived.changed_from < FOREVER:
        emit_differences(r, tick, reached(r))


@inner
def _take(r, row):
    """A tuple that isn't too late."""
    derived, clock, time = r.derived, r.clock, r.events.starts[row]
    if time < clock.floor or call(derived.source.take, r, row) == 0:
        return
    derived.taken += 1
    derived.youngest = max(derived.youngest, time)
    derived.next_passes = min(derived.next_passes, time)
    if time < clock.watermark:
        insert_in_order(derived.late, time, row, clock.watermark)
    if time <= reached(r):  # at that very time it can close a frame
        _note_change(derived, time, row)


@inner
def _note_change(derived, time, row):
    if is_until(time, row, derived.changed_from, derived.changed_from_row):
        derived.changed_from, derived.changed_from_row = time, row
    note_changed_until(derived, time, row)


def advance(r: Replay, step):
    advance_key(r, step)


@cache
def context_bound_logic() -> WindowLogic:
    """Compiled or loaded when it is first asked for."""
    functions = (start_key, take_run, take_burst, advance, end_key)
    return compiled_table(WindowLogic, "context_bound_windows", {each.__name__: each for each in functions})
