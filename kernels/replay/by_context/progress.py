"""How far a walk over a key's tuples has come (triggered.py), as it is noted before the first tuple of a chunk."""

from kernels.frames._ordered import Ordered
from kernels.replay.by_context.found import FoundWindow, find_none, move_rows
from kernels.replay.clock import NEVER
from kernels.runtime.fields import Address, Count, Flag, Float, Inline, Microseconds, Place
from kernels.runtime.memory import WORD_BYTES, inner, move
from kernels.runtime.struct import Struct


class WalkProgress(Struct):
    """Behind the tuple (time, row), `tuples` of them in all; windows: how many were triggered, the last of them is
    `window`. tail, tail_row: up to that tuple, the tail_tuples-th, no window needs any from here on. marker: of delta
    windows, if has_marker; least: the least value in the last of them."""

    time: Microseconds
    row: Place
    tuples: Count
    windows: Count
    tail: Microseconds
    tail_row: Place
    tail_tuples: Count
    marker: Float("value")
    has_marker: Flag()
    least: Float("value")
    window: Inline(FoundWindow)


PROGRESS_WORDS = WalkProgress.size_bytes // WORD_BYTES


@inner
def start_progress(progress):
    """Before all tuples."""
    progress.time = progress.tail = NEVER
    progress.row = progress.tail_row = -1
    progress.tuples = progress.windows = progress.tail_tuples = 0
    progress.marker, progress.has_marker, progress.least = 0.0, False, 0.0
    find_none(progress.window)


@inner
def copy_progress(into, progress):
    move(into.address, progress.address, PROGRESS_WORDS)


@inner
def move_progress_rows(progress, by):
    """All rows that it names."""
    progress.row, progress.tail_row = progress.row + by, progress.tail_row + by
    move_rows(progress.window, by)


class TupleWalk(Struct):
    """tuples: an entry for each, its word the value that triggers, if windows have one. here: where the walk is, whose
    next tuple is at the cursor and whose tail ends before (tail_chunk, tail_at); before: where it was one tuple ago;
    stays: whether both still hold; base: behind it no tuple comes any more.

    policy_panes: what a policy looks at, by ranks; policy_state: room for a tuple's
    """

    tuples: Inline(Ordered)
    here: Inline(WalkProgress)
    before: Inline(WalkProgress)
    base: Inline(WalkProgress)
    stays: Flag()
    tail_chunk: Place
    tail_at: Place
    policy_panes: Address
    policy_state: Address
