"""What aggregate frames have come to, always tuple by tuple from the first: sums of floats depend on how they are
grouped, and a frame must close at the same tuple whichever way it was cut.

    chunks     [ 1 2 3 4 ][ 5 6 7 8 ][ 9 ·          a frame that begins with 2 is cut back to 7
    notes                  ▲ 2+3+4     ▲            2+3+4, then 5, 6 and 7
"""

from kernels.frames._frames import grow_over_rows, lost_tuples, take_tuple
from kernels.frames._ordered import ROW_WORD, chunk_at, entry_at, is_behind, place_behind, standing
from kernels.runtime.memory import WORD_BYTES, inlined, inner, resize
from kernels.states import clear, copy_words


@inner
def take_tuple_at(s, frame, chunk, at, value):
    """take_tuple of the tuple at a place."""
    inlined()
    entry = entry_at(s.tuples, chunk, at)
    if at == 0 and frame.address != 0 and frame.grown != 0:
        _note(s, chunk, frame.grown)
    return take_tuple(s, frame, entry.time, entry.row, value)


@inner
def _note(s, chunk, grown):
    """Before the first tuple of a chunk: what the aggregate frame that may take it in has come to, so that who cuts it
    again needn't begin with the frame's first tuple."""
    of = chunk_at(s.tuples, chunk)
    if of.note == 0:
        of.note = resize(0, s.rules.plan.state_words)
    copy_words(of.note, grown, s.rules.plan.state_words)
    of.has_note = True


@inner
def grow_over(s, state, chunk, at, end, is_bounded):
    """A state takes in the entries at … end − 1 of a chunk, while it is below the bound or all of them. Returns how
    many: all in one call of the aggregate, five times as fast as tuple by tuple."""
    rows = chunk_at(s.tuples, chunk).entries[at:].address + WORD_BYTES * ROW_WORD
    return grow_over_rows(s, state, rows, end - at, is_bounded)


@inner
def grow_until(s, frame, into, last, last_row):
    """Make `into` what an aggregate frame came to with the tuple (last, last_row). O(log tuples + entries of a few
    chunks); of a frame without notes, as loaded ones are, O(its tuples) once."""
    end_chunk, end = place_behind(s.tuples, last, last_row)
    chunk, at = _start_growing(s, frame, into, end_chunk)
    while chunk < end_chunk:
        grow_over(s, into, chunk, at, chunk_at(s.tuples, chunk).count, False)
        chunk, at = chunk + 1, 0
        _note(s, chunk, into)
    if at < end:
        grow_over(s, into, chunk, at, end, False)


@inner
def _start_growing(s, frame, into, chunk):
    """(chunk, at) of the tuples that are still to be taken in, from the nearest note on."""
    while chunk > s.tuples.first and is_behind(entry_at(s.tuples, chunk, 0), frame.first, frame.first_row):
        if chunk_at(s.tuples, chunk).has_note:
            copy_words(into, chunk_at(s.tuples, chunk).note, s.rules.plan.state_words)
            return chunk, 0
        chunk -= 1
    _start_grown(s, frame, into)
    chunk, at = place_behind(s.tuples, frame.first, frame.first_row - 1)
    return standing(s.tuples, chunk, at)


@inner
def _start_grown(s, frame, into):
    """What an eviction took from a frame: nothing, of all but the first."""
    if not lost_tuples(s, frame):
        clear(s.rules.plan, into)
    elif into != s.cut_grown:
        copy_words(into, s.cut_grown, s.rules.plan.state_words)
