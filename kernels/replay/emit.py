"""Result rows: one window's aggregate, its revision and its late events, appended as words."""

from kernels.memory import inner, load, not_inlined, store
from kernels.replay.context import (
    ADDRESS,
    EMIT,
    EMIT_FINAL,
    FAILED,
    FAILED_END,
    FAILED_KEY,
    FAILED_START,
    KEY,
    NEVER,
    OUTPUT_COUNT,
    OUTPUTS,
    OWN_LATE,
    PANE_FINAL,
    PANE_LATE,
    PANE_ON_TIME,
    PLAN,
    ROWS,
    USED,
    WINDOW,
    append,
)
from kernels.replay.walk import HIGH, LOW
from kernels.replay.window_table import find_window, keep_state, set_window
from kernels.states import events_of, lower
from kernels.windows.block import MODE, ROLLING, window_end, window_start

# Words of a row; the outputs follow. Nulls are bits, so a query has at most 63 aggregates.
(
    ROW_KEY,
    ROW_START,
    ROW_END,
    ROW_REVISION,
    ROW_PANE,
    ROW_TICK,
    ROW_EVENTS,
    ROW_LATE,
    ROW_NULLS,
    ROW_OUTPUTS,
) = range(10)
NO_ROW = -1


@inner
def emit(r, walk, number, pane, tick, state):
    """Append a row for the window at which a walk stands. A state kept in the table stays where it is: its window has
    an entry, so the table doesn't grow."""
    not_inlined()
    words = ROW_OUTPUTS + load(r, OUTPUT_COUNT)
    newest = NO_ROW
    revision = 0
    if load(r, EMIT) != EMIT_FINAL:
        if pane != PANE_ON_TIME:  # a window that the watermark only now passes has no row yet
            newest = find_window(r, number, NO_ROW)
        keep_state(r, set_window(r, number, load(r, ROWS + USED) // words), state)
    late = _late_events(r, number, pane, state, newest)
    if newest != NO_ROW:
        revision = 1 + load(load(r, ROWS + ADDRESS) + 8 * words * newest, ROW_REVISION)
    row = append(r, ROWS, words)
    store(row, ROW_KEY, load(r, KEY))
    store(row, ROW_START, load(r, walk + LOW))
    store(row, ROW_END, load(r, walk + HIGH))
    store(row, ROW_REVISION, revision)
    store(row, ROW_PANE, pane)
    store(row, ROW_TICK, tick)
    store(row, ROW_EVENTS, events_of(state))
    store(row, ROW_LATE, late)
    _lower_outputs(r, row, state)


@inner
def newest_tick(r, number):
    """Tick of a window's newest row; −NEVER if it has none."""
    newest = find_window(r, number, NO_ROW)
    if newest == NO_ROW:
        return -NEVER
    return load(load(r, ROWS + ADDRESS) + 8 * (ROW_OUTPUTS + load(r, OUTPUT_COUNT)) * newest, ROW_TICK)


@inner
def _lower_outputs(r, row, state):
    nulls = 0
    for output in range(load(r, OUTPUT_COUNT)):
        word, is_null, overflowed = lower(load(r, PLAN), state, load(load(r, OUTPUTS), output))
        store(row, ROW_OUTPUTS + output, word)
        if is_null:
            nulls |= 1 << output
        if overflowed and load(r, FAILED) == 0:
            store(r, FAILED, 1 + output)
            store(r, FAILED_START, load(row, ROW_START))
            store(r, FAILED_END, load(row, ROW_END))
            store(r, FAILED_KEY, load(r, KEY))
    store(row, ROW_NULLS, nulls)


@inner
def _late_events(r, number, pane, state, newest):
    """Events that came after P(end): all but those that the window held then, which its newest row tells."""
    if pane == PANE_FINAL:
        return events_of(state) - find_window(r, number, 0)
    if pane != PANE_LATE:
        return 0
    if newest != NO_ROW:
        row = load(r, ROWS + ADDRESS) + 8 * (ROW_OUTPUTS + load(r, OUTPUT_COUNT)) * newest
        return events_of(state) - (load(row, ROW_EVENTS) - load(row, ROW_LATE))
    return count_late(r, number, state)


@inner
def count_late(r, number, state):
    """Late events of a window that had no row when its end was reached.

    A regular window then had no events. A rolling window may have had some: it exists only since its own
    event time was seen. Of the events that were late for their own time, those which came after its end was
    reached are the newest in the list.
    """
    not_inlined()
    window = load(r, WINDOW)
    if load(window, MODE) != ROLLING:
        return events_of(state)
    late = 0
    begin, end = window_start(window, number), window_end(window, number)
    pair = load(r, OWN_LATE + ADDRESS) + 8 * load(r, OWN_LATE + USED) - 16
    while pair >= load(r, OWN_LATE + ADDRESS) and load(pair, 1) >= end:
        if begin <= load(pair, 0) < end:
            late += 1
        pair -= 16
    return late
