"""Scope of the single buffer (FRAMES, algorithm 1): walk all tuples and cut them, as if nothing had been cut before.

    tuples      1  1  1  3  2  1         sum, bound 3        frames   1 1 1   3   2 1        O(tuples) each time

Which frames are new shows by comparing them with those of the last walk.
"""

from kernels.frames._frames import frame_at, note_changed, put_away, take_tuple
from kernels.frames._ordered import ORDERED_WORDS, drop_all, entry_at, is_behind, next_place, standing
from kernels.frames._ring import entry_at as tuple_at
from kernels.frames._rules import Frame
from kernels.runtime.memory import as_float, inner, not_inlined
from kernels.runtime.struct import words_at


@inner
def scope(s, new_row):
    """Cut all tuples again; those of `new_row` and later have come since the last walk."""
    not_inlined()
    low, high = s.changed_low, s.changed_high
    _swap(s.frames, s.former)
    frame, has_new = Frame(0), False
    for place in range(s.tuples.first, s.tuples.end):
        entry = tuple_at(s.tuples, place, 0)
        now = take_tuple(s, frame, entry.time, entry.row, as_float(entry.word))
        if now.address != frame.address:
            _mark(frame, has_new)
            frame, has_new = now, False
        has_new = has_new or entry.row >= new_row
    _mark(frame, has_new)
    s.changed_low, s.changed_high = low, high
    _compare(s)


@inner
def _swap(one, other):
    for word in range(ORDERED_WORDS):
        held = words_at(one.address)[word]
        words_at(one.address)[word] = words_at(other.address)[word]
        words_at(other.address)[word] = held


@inner
def _mark(frame, has_new):
    if frame.address != 0:
        frame.is_changed = has_new


@inner
def _compare(s):
    """Note what differs from the former frames, and let those go."""
    chunk, at = standing(s.frames, s.frames.first, 0)
    of, former_at = standing(s.former, s.former.first, 0)
    while of < s.former.end:
        former = Frame(entry_at(s.former, of, former_at).word)
        while chunk < s.frames.end and not is_behind(entry_at(s.frames, chunk, at), former.first, former.first_row - 1):
            note_changed(s, frame_at(s, chunk, at))
            chunk, at = next_place(s.frames, chunk, at)
        same = chunk < s.frames.end and _stays(frame_at(s, chunk, at), former)
        if same:
            frame_at(s, chunk, at).is_changed = former.is_changed
            chunk, at = next_place(s.frames, chunk, at)
        else:
            note_changed(s, former)
        put_away(s, former)
        of, former_at = next_place(s.former, of, former_at)
    while chunk < s.frames.end:
        note_changed(s, frame_at(s, chunk, at))
        chunk, at = next_place(s.frames, chunk, at)
    drop_all(s.former)


@inner
def _stays(frame, former):
    """Whether a frame has the tuples that it had."""
    begins = frame.first == former.first and frame.first_row == former.first_row
    return begins and frame.last == former.last and frame.last_row == former.last_row and not frame.is_changed
