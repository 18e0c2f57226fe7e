"""Multi-buffer (FRAMES): frames in order over tuples in order; of a late tuple only the frames that it changes are cut
again.

    frames      [1 ── 4]         [6 ── 9]          each knows its first and its last tuple
    tuples       1   2   4   5    6   8   9        a late 3 goes between 2 and 4, and the frame that ends with 4 is
                                                   looked at; the one behind stays

Both stand in chunks (_ordered.py) where the paper has linked lists, so that a place is found in O(log) and not by a
walk; _split_and_merge.py cuts again what a late tuple changes.
"""

from functools import cache

from kernels.aggregators._dispatch import FOREVER
from kernels.frames._checking import check_frames, held_in_order
from kernels.frames._content import IN_CHUNKS
from kernels.frames._dispatch import DONE, TOO_OLD, FrameKernel
from kernels.frames._evicting import evict_before
from kernels.frames._frames import KeyFrames, drop_frames, last_frame, release_frames, start_frames
from kernels.frames._growing import take_tuple_at
from kernels.frames._meter import ADD, CONTENT, EVICT, IDLE, SCOPE, SPLIT, begin
from kernels.frames._object import FrameWindow
from kernels.frames._ordered import (
    ENTRY_WORDS,
    Ordered,
    drop_all,
    end_place,
    entry_at,
    insert_at,
    is_behind,
    last_place,
    next_place,
    place_behind,
    release_ordered,
    standing,
)
from kernels.frames._rules import Frame, FrameRules, counts, value_of
from kernels.frames._saving import load_frames, load_head, save_frames, save_head
from kernels.frames._split_and_merge import Rest, insert_late
from kernels.runtime.fields import Inline
from kernels.runtime.memory import WORD_BYTES, as_word, inner, release
from kernels.runtime.struct import allocate, words_at
from kernels.runtime.tables import compiled_table
from kernels.states.layout import StatePlan
from kernels.states.plan import Plan


class MultiBuffer(KeyFrames):
    """An entry for each tuple, its word the value; rest: of what is being cut again."""

    tuples: Inline(Ordered)
    rest: Inline(Rest)


def create(plan: StatePlan, rules: FrameRules, no_options):
    s = allocate(MultiBuffer)
    start_frames(s, plan, rules)
    return s.address


def destroy(s: MultiBuffer):
    release_frames(s)
    release_ordered(s.tuples)
    release(s.address)


def reset(s: MultiBuffer):
    drop_frames(s)
    drop_all(s.tuples)


def insert(s: MultiBuffer, time, row):
    """In order O(1); late O(log tuples + log frames + tuples that are cut again)."""
    if time < s.floor:
        return TOO_OLD
    if counts(s.rules, s.events, row):
        value = value_of(s.rules, s.events, row)
        if s.tuples.count > 0 and is_behind(_youngest(s), time, row):
            insert_late(s, time, row, value)
        else:
            _append(s, time, row, value)
    return DONE


@inner
def _youngest(s):
    chunk, at = last_place(s.tuples)
    return entry_at(s.tuples, chunk, at)


@inner
def _append(s, time, row, value):
    begin(s, SCOPE)
    frame = Frame(0)
    if s.frames.count > 0:
        frame = last_frame(s)
        if s.tuples.count > 0 and is_behind(_youngest(s), frame.last, frame.last_row):
            frame = Frame(0)
    begin(s, ADD)
    chunk, at = end_place(s.tuples)
    chunk, at = insert_at(s.tuples, chunk, at, time, row, as_word(value))
    begin(s, SPLIT)
    take_tuple_at(s, frame, chunk, at, value)
    begin(s, IDLE)


def close_burst(s: MultiBuffer):
    """Frames are as they should be after each tuple."""


def content(s: MultiBuffer, frame: Frame):
    return IN_CHUNKS.content_of(s, frame)


def closing_time(s: MultiBuffer, frame: Frame):
    place, at = IN_CHUNKS.closing_tuple(s, frame)
    return FOREVER if place == s.tuples.end else entry_at(s.tuples, place, at).time


def rows_of(s: MultiBuffer, frame: Frame, rows):
    """O(log tuples + tuples of the frame)."""
    begin(s, CONTENT)
    found = 0
    chunk, at = place_behind(s.tuples, frame.first, frame.first_row - 1)
    chunk, at = standing(s.tuples, chunk, at)
    while chunk < s.tuples.end and not is_behind(entry_at(s.tuples, chunk, at), frame.last, frame.last_row):
        if rows != 0:
            words_at(rows)[found] = entry_at(s.tuples, chunk, at).row
        found += 1
        chunk, at = next_place(s.tuples, chunk, at)
    begin(s, IDLE)
    return found


def evict(s: MultiBuffer, time):
    begin(s, EVICT)
    s.floor = max(s.floor, time)
    evict_before(s, time)
    begin(s, IDLE)


def least_row(s: MultiBuffer):
    """O(tuples)."""
    least = -1
    chunk, at = standing(s.tuples, s.tuples.first, 0)
    while chunk < s.tuples.end:
        row = entry_at(s.tuples, chunk, at).row
        least = row if least < 0 else min(least, row)
        chunk, at = next_place(s.tuples, chunk, at)
    return least


def save(s: MultiBuffer, into):
    at = save_head(s, into)
    if into != 0:
        words_at(into)[at] = s.tuples.count
    at += 1
    chunk, place = standing(s.tuples, s.tuples.first, 0)
    while chunk < s.tuples.end:
        if into != 0:
            entry, words = entry_at(s.tuples, chunk, place), words_at(into + at * WORD_BYTES)
            words[0], words[1], words[2] = entry.time, entry.row, entry.word
        at += ENTRY_WORDS
        chunk, place = next_place(s.tuples, chunk, place)
    return at + save_frames(s, into + at * WORD_BYTES if into != 0 else 0)


def load(s: MultiBuffer, saved):
    at = saved + load_head(s, saved) * WORD_BYTES
    count = words_at(at)[0]
    at += WORD_BYTES
    for _ in range(count):
        words = words_at(at)
        chunk, place = place_behind(s.tuples, words[0], words[1])
        insert_at(s.tuples, chunk, place, words[0], words[1], words[2])
        at += ENTRY_WORDS * WORD_BYTES
    load_frames(s, at)


OPERATIONS = (create, destroy, reset, insert, close_burst, content, closing_time, rows_of, evict, least_row, save, load)


@cache
def dispatch() -> FrameKernel:
    """The table, compiled or loaded when it is first asked for."""
    return compiled_table(FrameKernel, "multi_buffer", {each.__name__: each for each in OPERATIONS})


def check(address: int, plan: Plan) -> None:
    """O(tuples · frames)."""
    s = MultiBuffer(address)
    check_frames(s, held_in_order(s.tuples, "tuples"), s.is_cut)


class MultiBufferWindow(FrameWindow):
    """insert O(1) in order, else O(log tuples + log frames + tuples that are cut again), and now and then O(chunks);
    content of a frame O(tuples that are not in it yet), all of it after a late one if an aggregate doesn't commute;
    evict O(what goes).

    Memory: an entry for each tuple that is not before what was evicted, and rows from the arrival of the first of them.
    """

    dispatch, _check = staticmethod(dispatch), staticmethod(check)


KERNEL = MultiBufferWindow
