"""Delta windows: a tuple whose value is far enough beyond the marker triggers, and is the marker from then on; in its
window are those before it that lie at most an extent below (FARM §2.2.3; semantics §2).

extent 5, threshold 3    values  0  2  4  3  8        4 triggers: 0 2    8 triggers: 4 3, and not 2
"""

from windrow.kernels.frames._kinds import require_exact_values
from windrow.kernels.frames._ordered import OrderedEntry, entry_at, next_place, place_behind, previous_place, standing
from windrow.kernels.frames._rules import value_of
from windrow.kernels.kinds._dependent import TriggeredKind, tuple_window
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.dependent.triggered import TupleWindow, move_tail, tail_entry, trigger
from windrow.kernels.runtime.fields import Float
from windrow.kernels.runtime.memory import as_float, inner
from windrow.kernels.runtime.mixing import LOW, mixed
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import clear, gather, merge
from windrow.schemas.windows import require_cutting_type

ROUNDING = 1e-9


class DeltaWindow(TupleWindow):
    """extent, threshold: as the window says."""

    extent: Float("value")
    threshold: Float("value")


def step(r: Replay, entry: OrderedEntry):
    """No tuple before one that triggers is as great: it would have triggered, and the marker only rises."""
    window, walk, value = DeltaWindow(r.window.address), r.dependent.walk, as_float(entry.word)
    here = walk.here
    if not here.has_marker:
        here.marker, here.has_marker = value, True
        return 0
    if not value - here.marker >= window.threshold:  # nor do infinities trigger behind each other
        _drop_too_small(walk, window, entry)
        return 0
    here.marker = value
    least = value - window.extent
    while as_float(tail_entry(walk).word) < least:
        move_tail(walk)
    first = tail_entry(walk)
    if first.row == entry.row:
        return 0
    chunk, at = previous_place(walk.tuples, r.dependent.cursor_chunk, r.dependent.cursor_at)
    while as_float(entry_at(walk.tuples, chunk, at).word) < least:
        chunk, at = previous_place(walk.tuples, chunk, at)
    here.least = least
    last = entry_at(walk.tuples, chunk, at)
    trigger(here, (first.time, last.time + 1), first, entry)
    here.window.held_row = last.row
    return 1


@inner
def _drop_too_small(walk, window, entry):
    """Tuples at the old end that no later window can hold, with some room for rounding."""
    here = walk.here
    room = ROUNDING * (abs(here.marker) + window.threshold + window.extent)
    least = here.marker + window.threshold - window.extent - room
    while tail_entry(walk).row != entry.row and as_float(tail_entry(walk).word) < least:
        move_tail(walk)


def state(r: Replay):
    """O(tuples from its first to the one that triggered)."""
    walk, found, into, part = r.dependent.walk, r.dependent.found, r.dependent.state, r.state
    clear(r.plan, into)
    found.digest = 0
    chunk, at = place_behind(walk.tuples, found.first, found.first_row - 1)
    chunk, at = standing(walk.tuples, chunk, at)
    while entry_at(walk.tuples, chunk, at).row != found.last_row:
        entry = entry_at(walk.tuples, chunk, at)
        if as_float(entry.word) >= walk.here.least:
            gather(r.plan, part, r.events.columns, entry.row, entry.row + 1)
            merge(r.plan, into, into, part)
            found.digest += mixed((entry.row - found.first_row) & LOW)
        chunk, at = next_place(walk.tuples, chunk, at)
    return into


def holds(r: Replay, row):
    value = value_of(TupleWindow(r.window.address), r.events.columns, row)
    return row != r.dependent.found.last_row and value >= r.dependent.walk.here.least


steps = lazy_table(TupleWindow, "delta_steps", step, state, holds)


class DeltaKind(TriggeredKind):
    """Windows that values trigger."""

    def select(self, choice, columns, made, spec, plan):
        """BadInput for whole numbers beyond those that are compared."""
        if spec.column_type == "int64":
            require_exact_values(columns.values[spec.column], columns.valid[spec.column], f"column {spec.asked.column}")
        return super().select(choice, columns, made, spec, plan)

    def make(self, spec, extent):
        asked, kind = spec.asked, spec.column_type
        require_cutting_type(asked, asked.column, kind)
        by = {"column": spec.column, "is_float": kind == "float64", "keeps_panes": 0}
        return tuple_window(DeltaWindow, steps(), extent=asked.extent, threshold=asked.threshold, **by)


KIND = DeltaKind()
