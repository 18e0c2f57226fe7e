"""Frames and tuples as words, to be kept between two runs:

[floor][evicted][row][is cut][cut content][cut grown]
[tuples][time · row · value][time · row · value] …
[frames][first · row · last · row · opening · reach · grown] …
"""

from kernels.frames._frames import add_frame, frame_at
from kernels.frames._ordered import ENTRY_WORDS, ROW_WORD, entry_at, insert_ordered, next_place, standing
from kernels.frames._rules import REACH
from kernels.runtime.counted import are_there
from kernels.runtime.memory import WORD_BYTES, as_float, as_word, inner, not_inlined
from kernels.runtime.struct import words_at
from kernels.states import copy_words

FRAME_WORDS = 5
HEAD_WORDS = 4


@inner
def grown_words(s):
    """Words of what closes an aggregate frame."""
    return 0 if s.rules.plan.address == 0 else s.rules.plan.state_words


@inner
def _frame_words(s):
    """Of the fields of a frame: the reach only where frames have one, so that what was saved of others stays."""
    return FRAME_WORDS + 1 if s.rules.depends_on == REACH else FRAME_WORDS


@inner
def save_head(s, into):
    """What was evicted. Returns how many words that is; they are written unless `into` is 0."""
    content, grown = s.plan.state_words, grown_words(s)
    if into != 0:
        words = words_at(into)
        words[0], words[1], words[2], words[3] = s.floor, s.evicted, s.evicted_row - s.row_offset, 1 if s.is_cut else 0
        copy_words(into + HEAD_WORDS * WORD_BYTES, s.cut_content, content)
        if grown > 0:
            copy_words(into + (HEAD_WORDS + content) * WORD_BYTES, s.cut_grown, grown)
    return HEAD_WORDS + content + grown


@inner
def load_head(s, saved, there):
    """Returns how many of so many words were read; 0: there are fewer."""
    content, grown, words = s.plan.state_words, grown_words(s), words_at(saved)
    if there < HEAD_WORDS + content + grown:
        return 0
    s.floor, s.evicted, s.evicted_row, s.is_cut = words[0], words[1], words[2] + s.row_offset, words[3] != 0
    copy_words(s.cut_content, saved + HEAD_WORDS * WORD_BYTES, content)
    if grown > 0:
        copy_words(s.cut_grown, saved + (HEAD_WORDS + content) * WORD_BYTES, grown)
    return HEAD_WORDS + content + grown


@inner
def save_frames(s, into):
    """As save_head."""
    not_inlined()
    grown, at = grown_words(s), 1
    if into != 0:
        words_at(into)[0] = s.frames.count
    chunk, place = standing(s.frames, s.frames.first, 0)
    while chunk < s.frames.end:
        if into != 0:
            _save_frame(s, frame_at(s, chunk, place), into + at * WORD_BYTES)
        at += _frame_words(s) + grown
        chunk, place = next_place(s.frames, chunk, place)
    return at


@inner
def _save_frame(s, frame, into):
    words = words_at(into)
    words[0], words[1] = frame.first, frame.first_row - s.row_offset
    words[2], words[3] = frame.last, frame.last_row - s.row_offset
    words[4] = as_word(frame.opening)
    if s.rules.depends_on == REACH:
        words[FRAME_WORDS] = frame.reach
    if frame.grown != 0:
        copy_words(into + _frame_words(s) * WORD_BYTES, frame.grown, grown_words(s))


@inner
def load_frames(s, saved, there):
    """Of a structure that holds none. Whether they are what stands in so many words."""
    not_inlined()
    grown, at = grown_words(s), WORD_BYTES
    each = _frame_words(s) + grown
    if not are_there(saved, there, each) or 1 + words_at(saved)[0] * each != there:
        return False
    for _ in range(words_at(saved)[0]):
        words = words_at(saved + at)
        frame = add_frame(s, words[0], words[1] + s.row_offset)
        frame.last, frame.last_row = words[2], words[3] + s.row_offset
        frame.opening = as_float(words[4])
        if s.rules.depends_on == REACH:
            frame.reach = words[FRAME_WORDS]
        if grown > 0:
            copy_words(frame.grown, saved + at + _frame_words(s) * WORD_BYTES, grown)
        at += each * WORD_BYTES
    return True


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


@inner
def save_ordered(ordered, at, first):
    """Entries, rows counted from `first` on. Returns the address behind them."""
    words_at(at)[0] = ordered.count
    at += WORD_BYTES
    chunk, place = standing(ordered, ordered.first, 0)
    while chunk < ordered.end:
        entry, words = entry_at(ordered, chunk, place), words_at(at)
        words[0], words[1], words[2] = entry.time, entry.row - first, entry.word
        at += ENTRY_WORDS * WORD_BYTES
        chunk, place = next_place(ordered, chunk, place)
    return at


@inner
def load_ordered(ordered, at, first):
    """Into one that is empty. Returns the address behind what was read."""
    count = words_at(at)[0]
    at += WORD_BYTES
    for _ in range(count):
        words = words_at(at)
        insert_ordered(ordered, words[0], words[1] + first, words[2])
        at += ENTRY_WORDS * WORD_BYTES
    return at
