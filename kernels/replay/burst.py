"""One arrival tick of a key: judge its events by the watermark before, insert them, then say what changed
(semantics §1)."""

from kernels.memory import inner, load, not_inlined, store
from kernels.plan import COMMUTATIVE
from kernels.replay.changed import emit_changed, emit_from_tree, note_changed
from kernels.replay.context import (
    ARRIVALS,
    BURST_YOUNGEST,
    CHANGE_WALK,
    CHANGED,
    EMIT,
    EMIT_ARRIVAL,
    EMIT_FINAL,
    EMIT_WATERMARK,
    ENDS,
    FINAL_WALK,
    FIRST,
    FIRST_END,
    FLOOR,
    FOREVER,
    LAST,
    LAST_END,
    MARK,
    NEVER,
    OWN_LATE,
    PANE,
    PANE_END,
    PASS_WALK,
    PLAN,
    SOURCE,
    STARTS,
    STATE,
    STEP,
    STEP_TICKS,
    STEPS,
    TREE,
    USED,
    WINDOW,
    append,
)
from kernels.replay.emit import count_late
from kernels.replay.panes import insert, is_empty, youngest
from kernels.replay.walk import tell_walk, walk_state
from kernels.replay.window_table import find_window, set_window
from kernels.spans.slicing import insert_slices
from kernels.states import events_of, gather
from kernels.windows.block import (
    MODE,
    ROLLING,
    SIZE_US,
    SPANNING,
    first_end_after,
    holding,
    last_start_until,
    window_end,
    window_start,
)


@inner
def take_run(r, first, end):
    """Take the events from `first` on that fall into one pane before the watermark next moves, all of them in time.

    They change no row yet, so the order among them and with their bursts doesn't matter: one insertion for all.
    Returns the next row; `first` if that event is late, in no window, or every event may make a row.
    """
    not_inlined()
    starts, arrivals = load(r, STARTS), load(r, ARRIVALS)
    time = load(starts, first)
    if time < load(r, PANE) or time >= load(r, PANE_END):
        _find_pane(r, time)
    if load(r, FIRST) > load(r, LAST) or load(r, FIRST_END) <= load(r, MARK):
        return first
    until = FOREVER
    if load(r, STEP) < load(r, STEPS):
        until = load(load(r, STEP_TICKS), load(r, STEP))
    pane, pane_end, row = load(r, PANE), load(r, PANE_END), first + 1
    while row < end and load(arrivals, row) <= until and pane <= load(starts, row) < pane_end:
        row += 1
    gather(load(r, PLAN), load(r, STATE), load(r, SOURCE), first, row)
    insert(r, load(r, TREE), pane, load(r, STATE), -1)
    return row


@inner
def take_burst(r, first, end, tick):
    """Rows [first, end) of the events arrived at one tick."""
    store(r, CHANGED + USED, 0)
    store(r, BURST_YOUNGEST, -NEVER)
    mode = load(load(r, WINDOW), MODE)
    rolling = mode == ROLLING
    for row in range(first, end):
        if rolling:
            _take_rolling(r, row)
        elif mode == SPANNING:
            _take_spanning(r, row)
        else:
            _take_regular(r, row)
    if rolling and load(r, EMIT) == EMIT_ARRIVAL:
        _emit_youngest(r, tick)
    elif rolling and load(r, EMIT) == EMIT_FINAL:
        _note_late_windows(r, first, end)
    elif load(r, CHANGED + USED) > 0:
        emit_changed(r, tick)


@inner
def _take_regular(r, row):
    time = load(load(r, STARTS), row)
    if time < load(r, PANE) or time >= load(r, PANE_END):
        _find_pane(r, time)
    floor, mark = load(r, FLOOR), load(r, MARK)
    if load(r, FIRST) > load(r, LAST) or load(r, LAST_END) <= floor:
        return
    is_late = load(r, FIRST_END) <= mark
    if load(load(r, PLAN), COMMUTATIVE) == 1:
        time = load(r, PANE)
    _insert(r, time, row)
    if is_late:
        _tell_walks(r, time)
    if load(r, EMIT) == EMIT_ARRIVAL:
        first = max(load(r, FIRST), first_end_after(load(r, WINDOW), floor))
        note_changed(r, first, load(r, LAST), row)
    elif is_late and load(r, EMIT) == EMIT_WATERMARK:
        window = load(r, WINDOW)
        first = load(r, FIRST) if load(r, FIRST_END) > floor else first_end_after(window, floor)
        note_changed(r, first, min(load(r, LAST), first_end_after(window, mark) - 1), row)


@inner
def _take_spanning(r, row):
    """An event that lasts is in all windows from the first that ends after its start to the last that starts before
    its end; those that are not final yet get it, by the slices that they are made of."""
    not_inlined()
    window, start = load(r, WINDOW), load(load(r, STARTS), row)
    end = max(load(load(r, ENDS), row), start + 1)
    first, last = first_end_after(window, start), last_start_until(window, end - 1)
    floor, mark = load(r, FLOOR), load(r, MARK)
    if first > last or window_end(window, last) <= floor:
        return
    is_late = window_end(window, first) <= mark
    first = max(first, first_end_after(window, floor))
    gather(load(r, PLAN), load(r, STATE), load(r, SOURCE), row, row + 1)
    ends_in = insert_slices(r, max(start, window_start(window, first)), end)
    tell_walk(r, CHANGE_WALK, ends_in)
    if is_late:
        _tell_walks(r, ends_in)
    if load(r, EMIT) == EMIT_ARRIVAL:
        note_changed(r, first, last, row)
    elif is_late and load(r, EMIT) == EMIT_WATERMARK:
        note_changed(r, first, min(last, first_end_after(window, mark) - 1), row)


@inner
def _insert(r, time, row):
    not_inlined()
    gather(load(r, PLAN), load(r, STATE), load(r, SOURCE), row, row + 1)
    insert(r, load(r, TREE), time, load(r, STATE), row)
    tell_walk(r, CHANGE_WALK, time)


@inner
def _tell_walks(r, time):
    """Only late events fall into stretches that the watermark has walked over."""
    tell_walk(r, PASS_WALK, time)
    tell_walk(r, FINAL_WALK, time)


@inner
def _find_pane(r, time):
    """The pane of a time: between the two nearest edges among starts and ends of windows, so the same windows
    hold all of it."""
    not_inlined()
    window = load(r, WINDOW)
    first, last = holding(window, time)
    first_end = window_end(window, first)
    store(r, FIRST, first)
    store(r, LAST, last)
    store(r, FIRST_END, first_end)
    store(r, LAST_END, window_end(window, last))
    store(r, PANE, max(window_start(window, last), window_end(window, first - 1)))
    store(r, PANE_END, min(window_start(window, last + 1), first_end))


@inner
def _take_rolling(r, row):
    """Event time u is in the windows u … u + size − 1, of which those below FLOOR are final and those below
    MARK passed."""
    not_inlined()
    time = load(load(r, STARTS), row)
    size, floor, mark = load(load(r, WINDOW), SIZE_US), load(r, FLOOR), load(r, MARK)
    if time + size <= floor:
        return
    _insert(r, time, row)
    store(r, BURST_YOUNGEST, max(time, load(r, BURST_YOUNGEST)))
    if time < mark:
        pair = append(r, OWN_LATE, 2)
        store(pair, 0, time)
        store(pair, 1, mark)
        _tell_walks(r, time)
        if load(r, EMIT) == EMIT_WATERMARK:
            note_changed(r, max(time, floor), min(time + size, mark) - 1, row)


@inner
def _emit_youngest(r, tick):
    """Emit arrival, rolling: the window of the key's youngest time, if the burst changed it and it isn't
    final."""
    not_inlined()
    if is_empty(r, load(r, TREE)):
        return
    number = youngest(r, load(r, TREE))
    if number >= load(r, FLOOR) and load(r, BURST_YOUNGEST) > number - load(load(r, WINDOW), SIZE_US):
        emit_from_tree(r, number, tick)


@inner
def _note_late_windows(r, first, end):
    """Emit final, rolling: windows that begin to exist after their end was reached note how many events they
    had then."""
    not_inlined()
    for row in range(first, end):
        number = load(load(r, STARTS), row)
        if load(r, FLOOR) <= number < load(r, MARK) and find_window(r, number, -1) == -1:
            state = walk_state(r, CHANGE_WALK, number)
            set_window(r, number, events_of(state) - count_late(r, number, state))
