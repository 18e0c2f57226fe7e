"""A row of a context-bound window, and what it says from then on."""

from kernels.replay.rows import append_row, write_no_outputs, write_outputs
from kernels.runtime.calls import call
from kernels.runtime.memory import inner, not_inlined
from kernels.states import events_of


@inner
def has_same_ends(found, emitted):
    """Whether a window's first and last tuples are those of its newest row."""
    return found.first_row == emitted.first_row and found.held_row == emitted.held_row


@inner
def differs(found, emitted, state):
    """Whether a row is due: mostly a window's tuples are those between its first and its last, and none ever leaves."""
    is_same = has_same_ends(found, emitted) and events_of(state) == emitted.events and found.digest == emitted.digest
    return not is_same


@inner
def emit_row(r, emitted, firing, tick, state):
    """A row of the window found, whose entry is `emitted`."""
    not_inlined()
    found = r.derived.found
    emitted.revision += 1
    emitted.events, emitted.digest = events_of(state), found.digest
    emitted.first_row, emitted.held_row = found.first_row, found.held_row
    if tick < r.rows.kept_from:
        return
    row = _row_of(r, emitted, firing, tick)
    write_outputs(r.rows, row, state)
    row.late = 0 if r.derived.late.count == 0 else call(r.derived.source.late, r)


@inner
def emit_closing_row(r, emitted, firing, tick):
    """A closing row."""
    not_inlined()
    emitted.revision += 1
    emitted.events = 0
    if tick < r.rows.kept_from:
        return
    row = _row_of(r, emitted, firing, tick)
    row.late = 0
    write_no_outputs(r.rows, row)


@inner
def _row_of(r, emitted, firing, tick):
    row = append_row(r.rows, r.stop)
    row.key, row.start, row.end, row.number = r.key, emitted.start, emitted.end, emitted.number
    row.revision, row.firing, row.tick = emitted.revision, firing, tick
    return row
