"""What the moving watermark does to a key: rows of the windows that it passes, and eviction of what no open
window needs."""

from kernels.memory import inner, load, not_inlined, store
from kernels.replay.context import (
    ALLOWED,
    CHANGE_WALK,
    EMIT,
    EMIT_ARRIVAL,
    EMIT_FINAL,
    FINAL_WALK,
    FLOOR,
    FOREVER,
    GOES_ON,
    MARK,
    NEVER,
    PANE_FINAL,
    PANE_ON_TIME,
    PASS_WALK,
    STEP,
    STEP_MARKS,
    STEP_TICKS,
    TREE,
    WINDOW,
)
from kernels.replay.emit import emit
from kernels.replay.panes import bulk_evict, first_from, is_empty
from kernels.replay.steps import pass_step
from kernels.replay.walk import HIGH, NEXT, UNKNOWN, start_walk
from kernels.replay.window_table import set_window
from kernels.spans.slicing import first_entry_from, oldest_entry, window_state
from kernels.states import events_of
from kernels.windows.block import MODE, ROLLING, SIZE_US, SPANNING, first_end_after, window_end, window_start


@inner
def advance(r, step):
    """Move the key on to the watermark before `step`: emit what it passes, in the order of the windows, then
    evict."""
    not_inlined()
    if step == load(r, STEP):
        return
    before = load(r, STEP)
    mark, floor = load(r, MARK), load(r, FLOOR)
    store(r, STEP, step)
    store(r, MARK, load(load(r, STEP_MARKS), step - 1))
    emits, holds_events = load(r, EMIT), not is_empty(r, load(r, TREE))
    # By the old floor: windows that become final in this very step are still in the table of open ones.
    if holds_events and emits != EMIT_ARRIVAL and (emits != EMIT_FINAL or load(r, ALLOWED) > 0):
        _sweep(r, mark, load(r, MARK), before, False)
    store(r, FLOOR, FOREVER if load(r, MARK) == FOREVER else load(r, MARK) - load(r, ALLOWED))
    if not holds_events:
        store(r, PASS_WALK + NEXT, UNKNOWN)
        store(r, FINAL_WALK + NEXT, UNKNOWN)
        return
    if emits == EMIT_FINAL:
        _sweep(r, floor, load(r, FLOOR), before, True)
    _evict(r)


@inner
def _evict(r):
    """Once as much is dead as a window is long: moving a leaf up for every single pane cost more than its row."""
    window = load(r, WINDOW)
    if load(r, FLOOR) == FOREVER or load(r, FLOOR) - oldest_entry(r) < 2 * load(window, SIZE_US):
        return
    needed = window_start(window, first_end_after(window, load(r, FLOOR)))
    bulk_evict(r, load(r, TREE), needed - 1)
    if load(window, MODE) == SPANNING:
        bulk_evict(r, load(r, GOES_ON), needed - 1)


@inner
def _sweep(r, old, new, step, is_final):
    """Each window with events whose end lies in (old, new]; empty stretches are jumped over. step: one before
    their pass."""
    not_inlined()
    window, tree = load(r, WINDOW), load(r, TREE)
    walk = FINAL_WALK if is_final else PASS_WALK
    found, number = True, load(r, walk + NEXT)
    exact = number != UNKNOWN
    if not exact:
        number = first_end_after(window, max(old, oldest_entry(r)))
    rolling = load(window, MODE) == ROLLING
    if rolling:
        found, number = first_from(r, tree, number)
    while found and window_end(window, number) <= new:
        state = window_state(r, walk, number)
        if events_of(state) == 0:
            found, number = _next_with_events(r, number)
            exact = False
        else:
            step = _pass(r, number, state, step, is_final)
            number += 1
            exact = not rolling
            if rolling:
                found, number = first_from(r, tree, number)
    # The first window behind one that was passed; after a jump, events may still come to what was jumped over.
    store(r, walk + NEXT, number if exact else UNKNOWN)


@inner
def _next_with_events(r, number):
    """(whether there is one, number of the next window that holds an entry or ends behind it)."""
    window = load(r, WINDOW)
    found, time = first_entry_from(r, window_start(window, number))
    return found, max(number + 1, first_end_after(window, time))


@inner
def _pass(r, number, state, step, is_final):
    """The watermark reaches a window's end, or its end + allowed lateness: a row, or a note of its events.
    Returns the step."""
    not_inlined()
    walk = FINAL_WALK if is_final else PASS_WALK
    end = load(r, walk + HIGH)
    if load(r, EMIT) != EMIT_FINAL:
        step = pass_step(r, step, end)
        emit(r, walk, number, PANE_ON_TIME, load(load(r, STEP_TICKS), step), state)
    elif is_final:
        step = pass_step(r, step, end + load(r, ALLOWED))
        if load(r, ALLOWED) == 0:
            set_window(r, number, events_of(state))
        emit(r, walk, number, PANE_FINAL, load(load(r, STEP_TICKS), step), state)
    else:
        set_window(r, number, events_of(state))
    return step


@inner
def start_key(r):
    """The watermark before everything."""
    store(r, STEP, 0)
    store(r, MARK, -NEVER)
    store(r, FLOOR, -NEVER)
    for walk in (PASS_WALK, FINAL_WALK, CHANGE_WALK):
        start_walk(r, walk)
