"""The logic of windows that have numbers and bounds in closed form, whichever way their events are held (Placement):
each tick's events are compared with the watermark before it, inserted, then what changed has rows; the moving watermark
has rows of the windows that it passes, and evicts what no open window needs (semantics §1)."""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds import first_end_after, window_end, window_start
from windrow.kernels.replay.clock import NEVER, move_floor, move_watermark, pass_step
from windrow.kernels.replay.context import Replay, WindowLogic
from windrow.kernels.replay.numbered.changed import emit_changed, emit_from_kernel, window_from
from windrow.kernels.replay.numbered.kept import insert_kept
from windrow.kernels.replay.numbered.late_times import forget_late_times
from windrow.kernels.replay.numbered.open_windows import emit, open_entry
from windrow.kernels.replay.numbered.walk import UNKNOWN, start_walk
from windrow.kernels.replay.rows import firing_of_pass
from windrow.kernels.replay.stop import must_stop, must_stop_at
from windrow.kernels.replay.types import EMIT_ARRIVAL, EMIT_FINAL
from windrow.kernels.runtime.memory import inner, not_inlined
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import events_of


def start_key(r: Replay):
    forget_late_times(r.numbered.late_times)
    for walk in (r.numbered.passing, r.numbered.finishing, r.numbered.changing):
        start_walk(r, walk)
    insert_kept(r)


def take_run(r: Replay, first, end):
    if r.numbered.placement.take_run == 0 or r.emit == EMIT_ARRIVAL or not r.plan.is_commutative:
        return first
    return r.numbered.placement.take_run(r, first, end)


def take_burst(r: Replay, first, end, tick):
    r.numbered.changed.used = 0
    r.numbered.burst_youngest = NEVER
    for row in range(first, end):
        if must_stop_at(r.stop, row):
            return
        r.numbered.placement.take(r, row)
    only = FOREVER
    if r.numbered.placement.close_burst != 0:
        only = r.numbered.placement.close_burst(r, first, end)
    if only != FOREVER:
        emit_from_kernel(r, only, tick)
    elif r.numbered.changed.used > 0:
        emit_changed(r, tick)


def advance(r: Replay, step):
    """What the watermark passes has rows in the order of the windows."""
    clock = r.clock
    before, watermark, floor = clock.step, clock.watermark, clock.floor
    move_watermark(clock, step)
    has_events = r.holder.is_empty(r.structure) == 0
    # By the old floor: windows that become final in this very step are still in the table of open ones.
    if has_events and r.emit != EMIT_ARRIVAL and (r.emit != EMIT_FINAL or clock.allowed > 0):
        _sweep(r, r.numbered.passing, watermark, clock.watermark, before)
    move_floor(clock)
    if not has_events:
        r.numbered.passing.next = r.numbered.finishing.next = UNKNOWN
        return
    if r.emit == EMIT_FINAL:
        _sweep(r, r.numbered.finishing, floor, clock.floor, before)
    _evict(r)


@inner
def _evict(r):
    """Once as much is dead as a window is long: moving a leaf up for every single pane cost more than its row."""
    floor = r.clock.floor
    if floor == FOREVER or floor - r.holder.oldest(r.structure) < 2 * r.window.size:
        return
    r.holder.evict(r.structure, window_start(r.window, first_end_after(r.window, floor)) - 1)


@inner
def _sweep(r, walk, old, new, step):
    """Each window with events whose end lies in (old, new]; empty stretches are jumped over. step: one before
    their pass."""
    not_inlined()
    window, at_events = r.window, r.numbered.placement.window_from != 0
    number = walk.next
    is_exact = number != UNKNOWN
    if not is_exact:
        number = first_end_after(window, max(old, r.holder.oldest(r.structure)))
    number = window_from(r, number)
    while number != FOREVER and window_end(window, number) <= new and not must_stop(r.stop):
        state = r.numbered.placement.window_state(r, walk, number)
        if events_of(state) == 0:
            time = r.holder.first_from(r.structure, window_start(window, number))
            following = FOREVER if time == FOREVER else max(number + 1, first_end_after(window, time))
            number = window_from(r, following)
            is_exact = False
        else:
            step = _pass(r, walk, number, state, step)
            number = window_from(r, number + 1)
            is_exact = not at_events
    # The first window behind one that was passed; after a jump, events may still come to what was jumped over.
    walk.next = number if is_exact else UNKNOWN


@inner
def _pass(r, walk, number, state, step):
    """The watermark reaches what a window waits for: it has a row; or its end before that: a note of its events.
    Returns the step."""
    not_inlined()
    if r.emit == EMIT_FINAL and walk.address == r.numbered.passing.address:
        open_entry(r, number).events = events_of(state)
        return step
    step = pass_step(r.clock, step, walk.high + r.clock.patience)
    emit(r, walk, number, firing_of_pass(r), r.clock.ticks[step], state)
    return step


numbered_logic = lazy_table(WindowLogic, "numbered_windows", start_key, take_run, take_burst, advance)
"""Of all kinds with closed forms."""
