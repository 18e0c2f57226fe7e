"""The aggregates of frames: of what each has kept, and of its tuples in whichever buffer they stand.

    frame           10   11   12   13   14        tuples of it, by row
    content         ├────────┤                    its state so far, up to `folded`
    content_of      ├──────────────────────┤      one run of rows more: one gather, however long it is
    next                                    ▲     where the next frame's first tuple stands, if none is between

Rows that follow one another, as they do where tuples come in order, are taken at once. A late tuple goes into the
content that is there where aggregates commute; otherwise it is made again when somebody next asks.
"""

from collections.abc import Callable
from typing import NamedTuple

from kernels.frames._frames import is_until, lost_tuples
from kernels.frames._ordered import entry_at, holds, is_behind, place_behind, standing
from kernels.runtime.addresses import named_inner
from kernels.runtime.memory import inner, resize
from kernels.states import clear, copy_words, gather, merge


class Contents(NamedTuple):
    """Compiled functions over one kind of buffer.

    fold_tuples(s, into, span, is_empty): into ⊗= the tuples of (time, row, last, last_row): from one to the other;
        is_empty: `into` has nothing yet, whatever stands there
    content_of(s, frame) → address of its aggregates, valid until the next operation
    closing_tuple(s, frame) → the place of the tuple that closes it: (end, 0) of the buffer if there is none yet
    """

    fold_tuples: Callable
    content_of: Callable
    closing_tuple: Callable


class Buffer(NamedTuple):
    """How a buffer's tuples are found: functions as of _ordered.py. owner: a name that is no other's."""

    owner: str
    place_behind: Callable
    standing: Callable
    entry_at: Callable
    holds: Callable


def contents(buffer: Buffer) -> Contents:
    """Compiled for a buffer."""
    owner, place_behind, standing, entry_at, holds = buffer

    def fold_tuples(s, into, span, is_empty):
        time, row, last, last_row = span
        chunk, at = s.next_chunk, s.next_at
        if not holds(s.tuples, chunk, at, time, row):
            chunk, at = place_behind(s.tuples, time, row - 1)
            chunk, at = standing(s.tuples, chunk, at)
        run, run_end = 0, 0
        while chunk < s.tuples.end:
            entry = entry_at(s.tuples, chunk, at)
            if is_behind(entry, last, last_row):
                break
            if entry.row != run_end:
                is_empty = fold_run(s, into, run, run_end, is_empty)
                run = entry.row
            run_end = entry.row + 1
            chunk, at = standing(s.tuples, chunk, at + 1)
        s.next_chunk, s.next_at = chunk, at
        if fold_run(s, into, run, run_end, is_empty):
            clear(s.plan, into)

    compiled_fold = named_inner(owner, fold_tuples)

    def content_of(s, frame):
        if frame.content == 0:
            frame.content = resize(0, s.plan.state_words)
        time, row = frame.folded, frame.folded_row + 1
        is_empty = not frame.has_content
        if is_empty:
            time, row = frame.first, frame.first_row
            if lost_tuples(s, frame):
                copy_words(frame.content, s.cut_content, s.plan.state_words)
                is_empty = False
        compiled_fold(s, frame.content, (time, row, frame.last, frame.last_row), is_empty)
        frame.folded, frame.folded_row, frame.has_content = frame.last, frame.last_row, True
        return frame.content

    def closing_tuple(s, frame):
        chunk, at = place_behind(s.tuples, frame.last, frame.last_row)
        return standing(s.tuples, chunk, at)

    return Contents(compiled_fold, named_inner(owner, content_of), named_inner(owner, closing_tuple))


@inner
def fold_run(s, into, run, run_end, is_empty):
    """into ⊗= the tuples of rows run … run_end − 1. Returns whether it still has nothing."""
    if run_end == run:
        return is_empty
    if is_empty:
        gather(s.plan, into, s.events, run, run_end)
    else:
        gather(s.plan, s.part, s.events, run, run_end)
        merge(s.plan, into, into, s.part)
    return False


@inner
def settle_content(s, frame, has_it, time, row):
    """A late tuple was put into a frame (has_it), or behind what is left of it."""
    if not frame.has_content:
        return
    if not is_until(frame.folded, frame.folded_row, frame.last, frame.last_row):
        frame.has_content = False
    elif has_it and is_until(time, row, frame.folded, frame.folded_row):
        if s.plan.is_commutative:
            gather(s.plan, s.part, s.events, row, row + 1)
            merge(s.plan, frame.content, frame.content, s.part)
        else:
            frame.has_content = False


CHUNKS = Buffer("frames_in_chunks", place_behind, standing, entry_at, holds)
IN_CHUNKS = contents(CHUNKS)
