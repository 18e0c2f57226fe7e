"""Multi-buffer (FRAMES): frames in order over tuples in order; of a late tuple only the frames that it changes are cut
again.

    frames      [1 ── 4]         [6 ── 9]          each knows its first and its last tuple
    tuples       1   2   4   5    6   8   9        a late 3 goes between 2 and 4, and the frame that ends with 4 is
                                                   looked at; the one behind stays

Both stand in chunks (_ordered.py) where the paper has linked lists, so that a place is found in O(log) and not by a
walk; _split_and_merge.py cuts again what a late tuple changes.
"""

from functools import cache

from kernels.frames._buffers import shared_operations
from kernels.frames._checking import check_frames, held_in_order
from kernels.frames._content import CHUNKS, IN_CHUNKS
from kernels.frames._dispatch import DONE, TOO_OLD, FrameKernel
from kernels.frames._evicting import evict_before
from kernels.frames._frames import KeyFrames, drop_frames, last_frame, last_frame_with, release_frames, start_frames
from kernels.frames._growing import take_tuple_at
from kernels.frames._meter import ADD, EVICT, IDLE, SCOPE, SPLIT, begin
from kernels.frames._object import FrameWindow
from kernels.frames._ordered import (
    Ordered,
    drop_all,
    end_place,
    entry_at,
    insert_at,
    is_behind,
    last_place,
    release_ordered,
)
from kernels.frames._rules import Frame, FrameRules, is_in_frames, value_of
from kernels.frames._saving import are_entries, load_frames, load_head, load_ordered
from kernels.frames._split_and_merge import Rest, insert_late
from kernels.runtime.fields import Inline
from kernels.runtime.memory import WORD_BYTES, as_word, inlined, inner, release
from kernels.runtime.struct import allocate, words_at
from kernels.runtime.tables import compiled_table
from kernels.states.layout import StatePlan
from kernels.states.state_plan import Plan


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
    if is_in_frames(s.rules, s.events, row):
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


def append_run(s: MultiBuffer, times, row, end):
    """O(1) each."""
    times, frame = words_at(times), _open_frame(s)
    while row < end:
        if is_in_frames(s.rules, s.events, row):
            value = value_of(s.rules, s.events, row)
            chunk, at = end_place(s.tuples)
            chunk, at = insert_at(s.tuples, chunk, at, times[row], row, as_word(value))
            now = take_tuple_at(s, frame, chunk, at, value)
            if frame.address != 0 and now.address != frame.address:
                return row + 1
            frame = now
        row += 1
    return end


@inner
def _open_frame(s):
    """The frame that the next tuple in order may grow; address 0: there is none."""
    if s.tuples.count > 0:
        return last_frame_with(s, _youngest(s))
    # of a frame that is there all tuples are evicted, and nothing has closed it
    return last_frame(s) if s.frames.count > 0 else Frame(0)


@inner
def _append(s, time, row, value):
    inlined()
    begin(s, SCOPE)
    frame = _open_frame(s)
    begin(s, ADD)
    chunk, at = end_place(s.tuples)
    chunk, at = insert_at(s.tuples, chunk, at, time, row, as_word(value))
    begin(s, SPLIT)
    take_tuple_at(s, frame, chunk, at, value)
    begin(s, IDLE)


def close_burst(s: MultiBuffer):
    """Frames are as they should be after each tuple."""


def evict(s: MultiBuffer, time):
    begin(s, EVICT)
    s.floor = max(s.floor, time)
    evict_before(s, time)
    begin(s, IDLE)


def load(s: MultiBuffer, saved, there, first, end):
    read = load_head(s, saved, there)
    at = saved + read * WORD_BYTES
    if read == 0 or not are_entries(at, there - read, first - s.row_offset, end - s.row_offset):
        return False
    behind = load_ordered(s.tuples, at, s.row_offset)
    return load_frames(s, behind, there - (behind - saved) // WORD_BYTES)


OPERATIONS = (create, destroy, reset, append_run, insert, close_burst, evict, load)


@cache
def dispatch() -> FrameKernel:
    """The table, compiled or loaded when it is first asked for."""
    shared = shared_operations(MultiBuffer, CHUNKS, IN_CHUNKS)
    return compiled_table(FrameKernel, "multi_buffer", shared | {each.__name__: each for each in OPERATIONS})


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
