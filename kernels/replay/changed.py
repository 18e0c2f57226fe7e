"""The windows that a burst changed: a note per event, then one row per window, whatever the notes' overlap."""

from kernels.memory import inner, load, not_inlined, store
from kernels.replay.context import (
    ADDRESS,
    CHANGE_WALK,
    CHANGED,
    MARK,
    PANE_EARLY,
    PANE_LATE,
    PLAN,
    SOURCE,
    STATE,
    TREE,
    USED,
    WINDOW,
    append,
)
from kernels.replay.emit import emit, newest_tick
from kernels.replay.panes import first_from
from kernels.replay.walk import HIGH, stand_at
from kernels.replay.window_table import NO_STATE, kept_state
from kernels.spans.slicing import window_state
from kernels.states import gather, merge
from kernels.windows.block import MODE, ROLLING

# A note of changed windows: first, last, row of the event.
NOTE_WORDS = 3


@inner
def note_changed(r, first, last, row):
    """Windows first … last changed at this tick, by the event of that row."""
    if first <= last:
        note = append(r, CHANGED, NOTE_WORDS)
        store(note, 0, first)
        store(note, 1, last)
        store(note, 2, row)


@inner
def emit_changed(r, tick):
    """One row for each window in the union of the notes.

    Notes of a burst mostly overlap: what lies in the stretch done so far is skipped whole, the rest window by window
    if it has its row of this tick. Sorting the notes instead made the kernel a tenth slower to compile.
    """
    not_inlined()
    note, end = load(r, CHANGED + ADDRESS), load(r, CHANGED + ADDRESS) + 8 * load(r, CHANGED + USED)
    _add_to_states(r, note, end)
    first, last = load(note, 0), load(note, 0) - 1
    while note < end:
        low, high = load(note, 0), load(note, 1)
        if low < first:
            _emit_stretch(r, low, min(high, first - 1), tick)
        if high > last:
            _emit_stretch(r, max(low, last + 1), high, tick)
        apart = low > last + 1 or high < first - 1
        first, last = (low, high) if apart else (min(low, first), max(high, last))
        note += 8 * NOTE_WORDS


@inner
def _add_to_states(r, note, end):
    """Add the burst's events to the states of the newest rows, before any new row is made."""
    not_inlined()
    plan, state = load(r, PLAN), load(r, STATE)
    while note < end:
        gather(plan, state, load(r, SOURCE), load(note, 2), load(note, 2) + 1)
        found, number = _first_window(r, load(note, 0))
        while found and number <= load(note, 1):
            kept = kept_state(r, number)
            if kept != NO_STATE:
                merge(plan, kept, kept, state)
            found, number = _first_window(r, number + 1)
        note += 8 * NOTE_WORDS


@inner
def _first_window(r, number):
    """(whether there is one, the first window from that number on); rolling windows exist only at times seen."""
    if load(load(r, WINDOW), MODE) == ROLLING:
        return first_from(r, load(r, TREE), number)
    return True, number


@inner
def _emit_stretch(r, first, last, tick):
    """Rows of the windows first … last that have none of this tick yet."""
    not_inlined()
    found, number = _first_window(r, first)
    while found and number <= last:
        if newest_tick(r, number) != tick:
            _emit_window(r, number, tick)
        found, number = _first_window(r, number + 1)


@inner
def _emit_window(r, number, tick):
    not_inlined()
    state = kept_state(r, number)
    if state == NO_STATE:
        emit_from_tree(r, number, tick)
    else:
        stand_at(r, CHANGE_WALK, number)
        _emit_here(r, number, tick, state)


@inner
def emit_from_tree(r, number, tick):
    _emit_here(r, number, tick, window_state(r, CHANGE_WALK, number))


@inner
def _emit_here(r, number, tick, state):
    passed = load(r, CHANGE_WALK + HIGH) <= load(r, MARK)
    emit(r, CHANGE_WALK, number, PANE_LATE if passed else PANE_EARLY, tick, state)
