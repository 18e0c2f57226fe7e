"""The windows that a burst changed: a note per event, then one row per window, whatever the notes' overlap."""

from kernels.replay.emit import emit
from kernels.replay.notes import NOTE_WORDS
from kernels.replay.open_windows import NO_STATE, kept_state
from kernels.replay.rows import EARLY, LATE
from kernels.replay.stop import must_stop
from kernels.replay.stretches import find_stretches, forget_stretches, stretch_state
from kernels.replay.walk import stand_at
from kernels.runtime.calls import call
from kernels.runtime.memory import inner, not_inlined
from kernels.states import gather, merge


@inner
def emit_changed(r, tick):
    """One row for each window in the union of the notes. O(windows + notes · log notes)."""
    not_inlined()
    notes, count = r.changed.first, r.changed.used // NOTE_WORDS
    if count == 1:
        _emit_note(r, notes[0], tick)
        return
    find_stretches(r, notes, count)
    edges = r.stretches.edges.at
    for place in range(r.stretches.count):
        if edges[place].value > 0:
            _emit_stretch(r, edges[place].key, edges[place + 1].key - 1, stretch_state(r, place), tick)
    forget_stretches(r.stretches)


@inner
def _emit_note(r, note, tick):
    """Rows of the windows that one event changed."""
    if r.open.has_states:
        gather(r.plan, r.state, r.events.columns, note.row, note.row + 1)
    _emit_stretch(r, note.first, note.last, r.state, tick)


@inner
def window_from(r, number):
    """The first window from that number on, FOREVER if there is none."""
    if r.placement.window_from == 0:
        return number
    return call(r.placement.window_from, r, number)


@inner
def window_state(r, walk, number):
    """Address of a window's aggregate, valid until the next call; the walk then stands there."""
    return call(r.placement.window_state, r, walk, number)


@inner
def _emit_stretch(r, first, last, state, tick):
    """Rows of the windows first … last, to each of which some events came; if open windows have states, their
    aggregate is at `state`."""
    not_inlined()
    number = window_from(r, first)
    while number <= last and not must_stop(r.stop):
        kept = kept_state(r, number)
        if kept == NO_STATE:
            emit_from_kernel(r, number, tick)
        else:
            merge(r.plan, kept, kept, state)
            stand_at(r, r.changing, number)
            _emit_here(r, number, tick, kept)
        number = window_from(r, number + 1)


@inner
def emit_from_kernel(r, number, tick):
    """A row of a window whose aggregate the kernel gives."""
    _emit_here(r, number, tick, window_state(r, r.changing, number))


@inner
def _emit_here(r, number, tick, state):
    has_passed = r.changing.high <= r.clock.watermark
    emit(r, r.changing, number, LATE if has_passed else EARLY, tick, state)
