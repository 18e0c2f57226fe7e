"""What kernels of frames do with tuples in whichever buffer these stand: the contents of frames, and tuples as words.

    frame           10   11   12   13   14        tuples of it, by row
    folded          ├────────┤                    what its content has so far
    content()       ├──────────────────────┤      one run of rows more: one gather, however long it is
    next                                    ▲     where the next frame's first tuple stands, if none is between

Rows that follow one another, as they do where tuples come in order, are taken at once. A late tuple goes into the
content that is there where aggregates commute; otherwise it is made again when somebody next asks.
"""

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import NamedTuple

from kernels.frames import _frames as frames
from kernels.frames import _ordered
from kernels.frames._frames import CONTENT, IDLE, KeyFrames, begin
from kernels.frames._ordered import ENTRY_WORDS, ROW_WORD, is_behind
from kernels.frames._rules import NONE, Frame
from kernels.frames._saving import load_frames, load_head, save_frames, save_head
from kernels.runtime.addresses import named_inner
from kernels.runtime.counted import are_there
from kernels.runtime.memory import WORD_BYTES, inner, resize
from kernels.runtime.struct import words_at
from kernels.states import clear, copy_words, gather, merge


class OverTuples(NamedTuple):
    """Compiled functions over one kind of buffer.

    fold_tuples(s, into, span, is_empty): into ⊗= the tuples of (time, row, last, last_row): from one to the other;
        is_empty: `into` has nothing yet, whatever stands there
    content(s, frame) → address of its aggregates, valid until the next operation
    drop_closed(s, time): frames go that were closed before a time
    """

    fold_tuples: Callable
    content: Callable
    drop_closed: Callable


def over_tuples(owner: str, struct: type[KeyFrames], buffer: ModuleType) -> tuple[OverTuples, tuple[Callable, ...]]:
    """With operations of FrameKernel, for a kernel of that name and structure, whose tuples stand in `tuples`. buffer:
    _ordered, or another module with its functions."""
    place_behind, standing, entry_at, holds = buffer.place_behind, buffer.standing, buffer.entry_at, buffer.holds
    count_of, room_of = buffer.count_of, buffer.room_of
    save_entries, load_entries = saving_entries(owner, buffer)

    compiled = partial(named_inner, owner)

    @compiled
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
                is_empty = _fold_run(s, into, run, run_end, is_empty)
                run = entry.row
            run_end = entry.row + 1
            chunk, at = standing(s.tuples, chunk, at + 1)
        s.next_chunk, s.next_at = chunk, at
        if _fold_run(s, into, run, run_end, is_empty):
            clear(s.plan, into)

    @compiled
    def content(s: struct, frame: Frame):
        if frame.content == 0:
            frame.content = resize(0, s.plan.state_words)
        time, row = frame.folded, frame.folded_row + 1
        is_empty = not frame.has_content
        if is_empty:
            time, row = frame.first, frame.first_row
            if frames.lost_tuples(s, frame):
                copy_words(frame.content, s.cut_content, s.plan.state_words)
                is_empty = False
        fold_tuples(s, frame.content, (time, row, frame.last, frame.last_row), is_empty)
        frame.folded, frame.folded_row, frame.has_content = frame.last, frame.last_row, True
        return frame.content

    @compiled
    def closing_tuple(s, frame):
        chunk, at = place_behind(s.tuples, frame.last, frame.last_row)
        return standing(s.tuples, chunk, at)

    @compiled
    def drop_closed(s, time):
        while s.frames.count > 0:
            chunk, at = closing_tuple(s, frames.frame_at(s, s.frames.first, 0))
            if chunk == s.tuples.end or entry_at(s.tuples, chunk, at).time >= time:
                return
            frames.drop_first_frame(s)

    @compiled
    def closing_row(s: struct, frame: Frame):
        chunk, at = closing_tuple(s, frame)
        return NONE if chunk == s.tuples.end else entry_at(s.tuples, chunk, at).row

    @compiled
    def rows_of(s: struct, frame: Frame, rows):
        """O(log tuples + tuples of the frame)."""
        begin(s, CONTENT)
        found = 0
        chunk, at = place_behind(s.tuples, frame.first, frame.first_row - 1)
        chunk, at = standing(s.tuples, chunk, at)
        while chunk < s.tuples.end and not is_behind(entry_at(s.tuples, chunk, at), frame.last, frame.last_row):
            if rows != 0:
                words_at(rows)[found] = entry_at(s.tuples, chunk, at).row
            found += 1
            chunk, at = standing(s.tuples, chunk, at + 1)
        begin(s, IDLE)
        return found

    @compiled
    def least_row(s: struct):
        """O(tuples)."""
        least = -1
        chunk, at = standing(s.tuples, s.tuples.first, 0)
        while chunk < s.tuples.end:
            row = entry_at(s.tuples, chunk, at).row
            least = row if least < 0 else min(least, row)
            chunk, at = standing(s.tuples, chunk, at + 1)
        return least

    @compiled
    def save(s: struct, into):
        words = save_head(s, into)
        if into != 0:
            save_entries(s.tuples, into + words * WORD_BYTES, s.row_offset)
        words += 1 + count_of(s.tuples) * ENTRY_WORDS
        return words + save_frames(s, into + words * WORD_BYTES if into != 0 else 0)

    @compiled
    def load(s: struct, saved, there, first, end):
        read = load_head(s, saved, there)
        at = saved + read * WORD_BYTES
        if read == 0 or not are_entries(at, there - read, first - s.row_offset, end - s.row_offset):
            return False
        if words_at(at)[0] > room_of(s.tuples):
            return False
        at = load_entries(s.tuples, at, s.row_offset)
        return load_frames(s, at, there - (at - saved) // WORD_BYTES)

    return OverTuples(fold_tuples, content, drop_closed), (content, closing_row, rows_of, least_row, save, load)


def saving_entries(owner: str, buffer: ModuleType) -> tuple[Callable, Callable]:
    """Compiled for a buffer: [entries][time · row · word] …, rows counted from `first` on, are written from an address
    on, or go from there into a buffer that is empty. Both return the address behind them."""
    standing, entry_at, insert_in_order = buffer.standing, buffer.entry_at, buffer.insert_in_order

    def save_entries(entries, at, first):
        saved, count = at + WORD_BYTES, 0
        chunk, at_entry = standing(entries, entries.first, 0)
        while chunk < entries.end:
            entry, words = entry_at(entries, chunk, at_entry), words_at(saved)
            words[0], words[1], words[2] = entry.time, entry.row - first, entry.word
            saved, count = saved + ENTRY_WORDS * WORD_BYTES, count + 1
            chunk, at_entry = standing(entries, chunk, at_entry + 1)
        words_at(at)[0] = count
        return saved

    def load_entries(entries, at, first):
        saved = at + WORD_BYTES
        for _ in range(words_at(at)[0]):
            words = words_at(saved)
            insert_in_order(entries, words[0], words[1] + first, words[2])
            saved += ENTRY_WORDS * WORD_BYTES
        return saved

    return named_inner(owner, save_entries), named_inner(owner, load_entries)


save_ordered, load_ordered = saving_entries("ordered", _ordered)


@inner
def _fold_run(s, into, run, run_end, is_empty):
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
    if not frames.is_until(frame.folded, frame.folded_row, frame.last, frame.last_row):
        frame.has_content = False
    elif has_it and frames.is_until(time, row, frame.folded, frame.folded_row):
        if s.plan.is_commutative:
            gather(s.plan, s.part, s.events, row, row + 1)
            merge(s.plan, frame.content, frame.content, s.part)
        else:
            frame.has_content = False


@inner
def are_entries(saved, there, first, end):
    """Whether entries stand at an address, within so many words, whose rows are first … end − 1."""
    if not are_there(saved, there, ENTRY_WORDS):
        return False
    for entry in range(words_at(saved)[0]):
        row = words_at(saved)[1 + entry * ENTRY_WORDS + ROW_WORD]
        if row < first or row >= end:
            return False
    return True


@inner
def ordered_words(ordered):
    """Words of save_ordered."""
    return 1 + ordered.count * ENTRY_WORDS
