"""Result rows of numbered windows: one window's aggregate, its revision and its late events."""

from kernels.replay.open_windows import NO_ROW, keep_state, noted_events, open_entry
from kernels.replay.rows import LATE, append_row, write_outputs
from kernels.replay.types import EMIT_FINAL
from kernels.runtime.calls import call
from kernels.runtime.memory import inner, not_inlined
from kernels.states import events_of


@inner
def emit(r, walk, number, firing, tick, state):
    """Append a row for the window at which a walk stands, unless its tick is before those whose rows are made, or it
    holds nothing. A state kept in the table stays where it is: its window has an entry, so the table doesn't grow."""
    not_inlined()
    if events_of(state) == 0:
        return
    revision = 0
    if r.emit == EMIT_FINAL:
        late = events_of(state) - noted_events(r, number)
    else:
        entry = open_entry(r, number)
        late = _late_events(r, number, firing, state, entry)
        revision = entry.revision + 1
        entry.revision, entry.events, entry.late, entry.tick = revision, events_of(state), late, tick
        keep_state(r, entry, state)
    if tick < r.rows.kept_from:
        return
    row = append_row(r.rows, r.stop)
    row.key, row.start, row.end, row.number = r.key, walk.low, walk.high, 0
    row.revision, row.firing, row.tick, row.late = revision, firing, tick, late
    write_outputs(r.rows, row, state)


@inner
def _late_events(r, number, firing, state, entry):
    """Events that came after P(end): all but those that the window held then, known from its newest row."""
    if firing != LATE:
        return 0
    if entry.revision != NO_ROW:
        return events_of(state) - (entry.events - entry.late)
    if r.placement.late_events == 0:
        return events_of(state)
    return call(r.placement.late_events, r, number, state)
