"""The walk over a key's tuples: from the nearest note on, one tuple after the other.

tuples    [ 1 2 4 5 ][ 7 8 9 9 ][ 12 14 ·        to stand before 9: from the note before 7, over 7 and 8
notes       ▲          ▲          ▲
"""

from kernels.bounds import KernelWindow
from kernels.frames._frames import is_until
from kernels.frames._ordered import LAST_ROW, OrderedEntry, chunk_at, entry_at, next_place, place_behind, standing
from kernels.replay.by_context.state import PROGRESS_WORDS, WalkProgress, copy_progress, set_ends
from kernels.runtime.fields import Count, Flag, Place, Ref
from kernels.runtime.memory import inner, not_inlined, resize
from kernels.runtime.operations import Operation
from kernels.states.layout import StatePlan


class TupleWindow(KernelWindow):
    """step(r, entry) → 1 if the tuple that the walk takes next triggers a window, which is then noted by trigger().
    state(r), holds(r, row): as of WindowSource and Derived, of windows that don't hold all tuples from their first to
    their last. column, is_float: of the value that each tuple must have, NO_COLUMN: it needs none; keeps_panes: whether
    a kernel of point events holds the tuples; looked_at: the plan of what a policy reads, which it holds
    apart; every: of windows that come every so many tuples."""

    step: Operation("Replay", OrderedEntry)
    state: Operation("Replay")
    holds: Operation("Replay", Place)
    column: Place
    is_float: Flag()
    keeps_panes: Flag()
    looked_at: Ref(StatePlan)
    every: Count


@inner
def walk_before(r, time):
    not_inlined()
    walk, derived = r.derived.walk, r.derived
    _go_to_note(walk, time)
    place_cursor(derived, walk)
    walk.stays = False
    while derived.cursor_chunk < walk.tuples.end:
        if entry_at(walk.tuples, derived.cursor_chunk, derived.cursor_at).time >= time:
            break
        take_step(r)


@inner
def _go_to_note(walk, time):
    """The nearest note before a time becomes `here`, the base if there is none."""
    tuples = walk.tuples
    chunk, _ = place_behind(tuples, time - 1, LAST_ROW)
    while chunk >= tuples.first and chunk < tuples.end and not chunk_at(tuples, chunk).has_note:
        chunk -= 1
    if chunk >= tuples.first and chunk < tuples.end:
        noted = WalkProgress(chunk_at(tuples, chunk).note)
        if not is_until(noted.time, noted.row, walk.base.time, walk.base.row):
            copy_progress(walk.here, noted)
            return
    copy_progress(walk.here, walk.base)


@inner
def place_cursor(derived, walk):
    """The cursor and the tail's end, by what `here` says."""
    tuples, here = walk.tuples, walk.here
    chunk, at = place_behind(tuples, here.time, here.row)
    derived.cursor_chunk, derived.cursor_at = standing(tuples, chunk, at)
    chunk, at = place_behind(tuples, here.tail, here.tail_row)
    walk.tail_chunk, walk.tail_at = standing(tuples, chunk, at)


@inner
def take_step(r):
    walk, derived = r.derived.walk, r.derived
    tuples, here = walk.tuples, walk.here
    if derived.cursor_at == 0:
        chunk = chunk_at(tuples, derived.cursor_chunk)
        if chunk.note == 0:
            chunk.note = resize(0, PROGRESS_WORDS)
        copy_progress(WalkProgress(chunk.note), here)
        chunk.has_note = True
    copy_progress(walk.before, here)
    entry = entry_at(tuples, derived.cursor_chunk, derived.cursor_at)
    here.tuples += 1
    has_window = TupleWindow(r.window.address).step(r, entry) == 1
    here.time, here.row = entry.time, entry.row
    derived.cursor_chunk, derived.cursor_at = next_place(tuples, derived.cursor_chunk, derived.cursor_at)
    is_passed = not has_window and entry.time < derived.limit
    if is_passed and is_until(derived.frontier, derived.frontier_row, entry.time, entry.row):
        derived.frontier, derived.frontier_row = entry.time, entry.row
    return has_window


@inner
def tail_entry(walk):
    """The first tuple behind the tail; there is one, at the latest that of the step at hand."""
    walk.tail_chunk, walk.tail_at = standing(walk.tuples, walk.tail_chunk, walk.tail_at)
    return entry_at(walk.tuples, walk.tail_chunk, walk.tail_at)


@inner
def move_tail(walk):
    """One tuple more that no window needs."""
    entry = tail_entry(walk)
    walk.here.tail, walk.here.tail_row = entry.time, entry.row
    walk.here.tail_tuples += 1
    walk.tail_chunk, walk.tail_at = next_place(walk.tuples, walk.tail_chunk, walk.tail_at)


@inner
def trigger(here, ends, first, entry):
    """A window from `first` to the tuple of `entry`, which the watermark passes with that."""
    window = here.window
    set_ends(window, ends[0], ends[1])
    window.first, window.first_row = first.time, first.row
    window.last, window.last_row, window.held_row = entry.time, entry.row, entry.row
    window.passes, window.closing_row = entry.time + 1, -1
    here.windows += 1
