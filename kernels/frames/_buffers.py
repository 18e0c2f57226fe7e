"""What both kernels of frames do with their tuples: the contents of frames, and tuples as words.

    frame           10   11   12   13   14        tuples of it, by row
    folded          ├────────┤                    what its content has so far
    content()       ├──────────────────────┤      one run of rows more: one gather, however long it is
    next                                    ▲     where the next frame's first tuple stands, if none is between

Rows that follow one another, as they do where tuples come in order, are taken at once. A late tuple goes into the
content that is there where aggregates commute; otherwise it is made again when it is next asked for.

Saved are tuples, and of the one frame that has lost some what these came to; all other frames follow from tuples:

    [floor][evicted][row][is cut][cut content][cut grown][the cut frame, if there is one]   rows from row_offset on
    [tuples][time · row · value][time · row · value] …
"""

from windrow.kernels.frames import _frames as frames
from windrow.kernels.frames import _ordered as order
from windrow.kernels.frames._frames import CONTENT, CUT_WORDS, IDLE, KeyFrames, begin
from windrow.kernels.frames._ordered import (
    ENTRY_WORDS,
    ROW_WORD,
    drop_all,
    entry_at,
    first_behind,
    holds,
    insert_in_order,
    is_behind,
    next_place,
    release_ordered,
)
from windrow.kernels.frames._rules import NONE, Frame
from windrow.kernels.runtime.counted import are_there
from windrow.kernels.runtime.memory import WORD_BYTES, inner, release, resize
from windrow.kernels.runtime.struct import words_at
from windrow.kernels.states import clear, copy_words, gather, merge

EVICTED_WORDS = 4


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
def fold_tuples(s, into, span, is_empty):
    """into ⊗= the tuples of (time, row, last, last_row): from one to the other. is_empty: `into` has nothing yet,
    whatever stands there. O(log tuples + those)."""
    time, row, last, last_row = span
    chunk, at = s.next_chunk, s.next_at
    if not holds(s.tuples, chunk, at, time, row):
        chunk, at = first_behind(s.tuples, time, row - 1)
    run, run_end = 0, 0
    while chunk < s.tuples.end:
        entry = entry_at(s.tuples, chunk, at)
        if is_behind(entry, last, last_row):
            break
        if entry.row != run_end:
            is_empty = _fold_run(s, into, run, run_end, is_empty)
            run = entry.row
        run_end = entry.row + 1
        chunk, at = next_place(s.tuples, chunk, at)
    s.next_chunk, s.next_at = chunk, at
    if _fold_run(s, into, run, run_end, is_empty):
        clear(s.plan, into)


@inner
def content(s: KeyFrames, frame: Frame):
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


@inner
def closing_tuple(s, frame):
    return first_behind(s.tuples, frame.last, frame.last_row)


@inner
def drop_closed(s, time):
    """Frames go that were closed before a time. O(log tuples) each."""
    while s.frames.count > 0:
        chunk, at = closing_tuple(s, frames.frame_at(s, s.frames.first, 0))
        if chunk == s.tuples.end or entry_at(s.tuples, chunk, at).time >= time:
            return
        frames.drop_first_frame(s)


def closing_row(s: KeyFrames, frame: Frame):
    chunk, at = closing_tuple(s, frame)
    return NONE if chunk == s.tuples.end else entry_at(s.tuples, chunk, at).row


def rows_of(s: KeyFrames, frame: Frame, rows):
    """O(log tuples + tuples of the frame)."""
    begin(s, CONTENT)
    found = 0
    chunk, at = first_behind(s.tuples, frame.first, frame.first_row - 1)
    while chunk < s.tuples.end and not is_behind(entry_at(s.tuples, chunk, at), frame.last, frame.last_row):
        if rows != 0:
            words_at(rows)[found] = entry_at(s.tuples, chunk, at).row
        found += 1
        chunk, at = next_place(s.tuples, chunk, at)
    begin(s, IDLE)
    return found


def least_row(s: KeyFrames):
    """O(tuples)."""
    return order.least_row(s.tuples)


@inner
def cut_all(s, frame):
    """All tuples that are there are cut, as if they came now; frame: the one that was cut off, or one of address 0.
    O(tuples)."""
    chunk, at = s.tuples.first, 0
    while chunk < s.tuples.end:
        frame = frames.take_tuple(s, frame, entry_at(s.tuples, chunk, at))
        chunk, at = next_place(s.tuples, chunk, at)


@inner
def _evicted_words(s, is_cut):
    """(in all, of what the evicted tuples of an aggregate frame came to)."""
    grown = 0 if s.rules.plan.address == 0 else s.rules.plan.state_words
    return EVICTED_WORDS + s.plan.state_words + grown + (CUT_WORDS if is_cut else 0), grown


@inner
def _save_evicted(s, into):
    """Returns how many words that is; they are written unless `into` is 0."""
    count, grown = _evicted_words(s, s.is_cut)
    if into != 0:
        words, content = words_at(into), s.plan.state_words
        words[0], words[1], words[2], words[3] = s.floor, s.evicted, s.evicted_row - s.row_offset, 1 if s.is_cut else 0
        copy_words(words[EVICTED_WORDS:].address, s.cut_content, content)
        copy_words(words[EVICTED_WORDS + content :].address, s.cut_grown, grown)
        if s.is_cut:
            saved = Frame(words[count - CUT_WORDS :].address)
            copy_words(saved.address, frames.frame_at(s, s.frames.first, 0).address, CUT_WORDS)
            saved.first_row -= s.row_offset
    return count


@inner
def _load_evicted(s, saved, there):
    """Into a structure that holds nothing. Returns how many of so many words were read; 0: there are fewer."""
    words, content = words_at(saved), s.plan.state_words
    count, grown = _evicted_words(s, there >= EVICTED_WORDS and words[3] != 0)
    if there < count:
        return 0
    s.floor, s.evicted, s.evicted_row, s.is_cut = words[0], words[1], words[2] + s.row_offset, words[3] != 0
    copy_words(s.cut_content, words[EVICTED_WORDS:].address, content)
    copy_words(s.cut_grown, words[EVICTED_WORDS + content :].address, grown)
    if s.is_cut:
        of = Frame(words[count - CUT_WORDS :].address)
        frame = frames.add_frame(s, of.first, of.first_row + s.row_offset)
        frame.last, frame.last_row, frame.opening, frame.reach = s.evicted, s.evicted_row, of.opening, of.reach
        copy_words(frame.grown, s.cut_grown, grown)
    return count


def save(s: KeyFrames, into):
    words = _save_evicted(s, into)
    if into != 0:
        save_ordered(s.tuples, into + words * WORD_BYTES, s.row_offset)
    return words + ordered_words(s.tuples)


def load(s: KeyFrames, saved, there, first, end):
    read = _load_evicted(s, saved, there)
    at = saved + read * WORD_BYTES
    if read == 0 or not are_entries(at, there - read, first - s.row_offset, end - s.row_offset):
        return False
    if words_at(at)[0] > s.capacity or load_ordered(s.tuples, at, s.row_offset) != saved + there * WORD_BYTES:
        return False
    cut_all(s, frames.last_frame(s) if s.is_cut else Frame(0))
    return True


@inner
def destroy(s: KeyFrames):
    frames.release_frames(s)
    release_ordered(s.tuples)
    release(s.address)


@inner
def reset(s: KeyFrames):
    frames.drop_frames(s)
    drop_all(s.tuples)


SHARED = (destroy, reset, content, closing_row, rows_of, least_row, save, load)
"""Operations of both kernels."""


@inner
def save_ordered(ordered, at, first):
    """[entries][time · row · word] …, rows counted from `first` on, from an address on. Returns the address behind
    them. O(entries)."""
    saved = at + WORD_BYTES
    words_at(at)[0] = ordered.count
    chunk, at_entry = ordered.first, 0
    while chunk < ordered.end:
        entry, words = entry_at(ordered, chunk, at_entry), words_at(saved)
        words[0], words[1], words[2] = entry.time, entry.row - first, entry.word
        saved += ENTRY_WORDS * WORD_BYTES
        chunk, at_entry = next_place(ordered, chunk, at_entry)
    return saved


@inner
def load_ordered(ordered, at, first):
    """They go from there into a list that is empty. Returns as save_ordered."""
    saved = at + WORD_BYTES
    for _ in range(words_at(at)[0]):
        words = words_at(saved)
        insert_in_order(ordered, words[0], words[1] + first, words[2])
        saved += ENTRY_WORDS * WORD_BYTES
    return saved


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
