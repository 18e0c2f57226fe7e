"""The frames of one key in order, and how the next tuple goes into them (FRAMES).

    frames      [1 ── 4]      [6 ── 9]            an entry for each, by its first tuple; its word is the Frame's address
    tuples       1  2  4   5   6  8  9   11       5 and 11 are in none

What closes a frame is always the tuple behind its last one, so nothing is noted of it.

A benchmark has a function called whenever what a kernel is at changes (`begin`); a replay pays for it only by asking
whether there is such a function. Kernels have no clock; the function may.

    add      a tuple goes to its place in the buffer        merge     a frame takes in another's first tuple
    scope    where it goes, and which frame holds that      content   the tuples of a frame are found
    split    it and tuples behind it are cut                evict     frames and tuples go
"""

from windrow.kernels.frames._ordered import (
    ROW_WORD,
    Ordered,
    drop_all,
    entry_at,
    first_behind,
    insert_in_order,
    is_behind,
    last_entry,
    release_ordered,
    remove_at,
)
from windrow.kernels.frames._rules import Frame, FrameRules, closes_frame, opens_frame
from windrow.kernels.runtime.fields import Address, Code, Count, Flag, Inline, Microseconds, Place, Ref
from windrow.kernels.runtime.memory import WORD_BYTES, as_float, inlined, inner, not_inlined, release, resize
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct, allocate, clear_words
from windrow.kernels.states import clear, take_in
from windrow.kernels.states.layout import Events, StatePlan

NOWHERE = (1 << 63) - 1
IDLE, ADD, SCOPE, SPLIT, MERGE, CONTENT, EVICT = range(7)
CUT_WORDS = Frame.offsets["grown"] // WORD_BYTES
"""What is known of a frame without its tuples."""
METERED = ("idle", "add", "scope", "split", "merge", "content", "evict")


class KeyFrames(Struct):
    """Rows are those of `events`, which ascend by arrival. Each kernel goes on with fields of its own.

    tuples: an entry for each, its word the value; of no more than `capacity`
    floor: the least time of a tuple that may still come
    is_cut: whether the first frame has lost tuples to an eviction; cut_content, cut_grown: what these come to, of
        which (evicted, evicted_row) was the last
    meter_call, meter: the function that is told what it is at, and its argument; 0: none
    row_offset: what is saved counts rows from there on
    cut, cut_row: the last tuple that was cut again: frames that begin behind it are as they were
    part: room for a state of some tuples
    spare: frames to be used again, linked by `first`
    next_chunk, next_at: where the tuple stood that followed what was folded last, so that a frame which is folded for
        the first time begins there if the one before it was folded last; 0, 0 at first
    """

    plan: Ref(StatePlan)
    rules: Ref(FrameRules)
    events: Ref(Events)
    frames: Inline(Ordered)
    tuples: Inline(Ordered)
    capacity: Count
    floor: Microseconds
    is_cut: Flag()
    cut_content: Address
    cut_grown: Address
    evicted: Microseconds
    evicted_row: Place
    row_offset: Place
    cut: Microseconds
    cut_row: Place
    meter_call: Operation(Address, Code)
    meter: Address
    part: Address
    spare: Address
    next_chunk: Place
    next_at: Place


@inner
def begin(s, kind):
    if s.meter_call != 0:
        s.meter_call(s.meter, kind)


@inner
def start_frames(s, plan, rules):
    """Of a structure whose memory is all zero."""
    s.plan, s.rules, s.capacity = plan, rules, NOWHERE
    s.cut_content, s.part = resize(0, plan.state_words), resize(0, plan.state_words)
    if rules.plan.address != 0:
        s.cut_grown = resize(0, rules.plan.state_words)
    _forget_evicted(s)


@inner
def _forget_evicted(s):
    s.floor, s.is_cut, s.evicted, s.evicted_row = -NOWHERE, False, 0, s.row_offset
    # All words of it are saved, also those of a sketch that it doesn't use.
    clear_words(s.cut_content, s.plan.state_words)
    clear(s.plan, s.cut_content)
    if s.cut_grown != 0:
        clear(s.rules.plan, s.cut_grown)


@inner
def release_frames(s):
    """All memory but the structure's own."""
    drop_frames(s)
    while s.spare != 0:
        frame = Frame(s.spare)
        s.spare = frame.first
        release(frame.grown)
        release(frame.content)
        release(frame.address)
    release_ordered(s.frames)
    release(s.cut_content)
    release(s.part)
    release(s.cut_grown)


@inner
def drop_frames(s):
    while s.frames.count > 0:
        drop_first_frame(s)
    drop_all(s.frames)
    _forget_evicted(s)


@inner
def drop_first_frame(s):
    put_away(s, frame_at(s, s.frames.first, 0))
    remove_at(s.frames, s.frames.first, 0)
    s.is_cut = False


@inner
def frame_at(s, chunk, at):
    return Frame(entry_at(s.frames, chunk, at).word)


@inner
def lost_tuples(s, frame):
    """Whether an eviction took tuples from a frame: from none but the first."""
    return s.is_cut and frame.address == frame_at(s, s.frames.first, 0).address


@inner
def last_frame(s):
    """The youngest frame; there is one."""
    return Frame(last_entry(s.frames).word)


@inner
def last_frame_with(s, entry):
    """The youngest frame if that tuple, the youngest of all, is in it; else one of address 0."""
    if s.frames.count == 0:
        return Frame(0)
    frame = last_frame(s)
    return Frame(0) if is_behind(entry, frame.last, frame.last_row) else frame


@inner
def opening_at(s, time, row):
    """The place of the frame that opens at a tuple; chunk = end: none does. O(log frames)."""
    chunk, at = first_behind(s.frames, time, row - 1)
    if chunk < s.frames.end and entry_at(s.frames, chunk, at).row == row:
        return chunk, at
    return s.frames.end, 0


@inner
def is_until(time, row, other_time, other_row):
    return time < other_time or (time == other_time and row <= other_row)


@inner
def take_tuple(s, frame, entry):
    """The next tuple of the order, behind a frame's last one, or behind tuples in none (address 0). Returns the frame
    that it is in, which may be new, or one of address 0."""
    inlined()
    if frame.address != 0 and not closes_frame(s.rules, frame, entry):
        frame.last, frame.last_row = entry.time, entry.row
    elif opens_frame(s.rules, entry):
        frame = _open_frame(s, entry)
    else:
        return Frame(0)
    if frame.grown != 0:
        grow_over(s, frame.grown, entry, 1, False)
    if s.rules.note_taken != 0:
        s.rules.note_taken(s.rules, frame, entry.time, entry.word)
    return frame


@inner
def grow_over(s, state, entry, count, is_bounded):
    """A state takes in so many tuples of a chunk, from an entry on, while its answer is below the bound, or all → how
    many: all in one call of the aggregate, five times as fast as tuple by tuple. One tuple is taken in the same way: a
    sketch of values differs from one that takes in another sketch."""
    growing, rows = s.rules.growing, entry.address + WORD_BYTES * ROW_WORD
    growing.events, growing.rows, growing.count = s.events, rows, count
    growing.bound, growing.is_bounded = s.rules.bound, is_bounded
    taken = take_in(s.rules.plan, state, growing)
    if taken < 0:
        s.rules.has_failed = True
        taken = -1 - taken
    return taken


@inner
def _open_frame(s, entry):
    """A new frame of one tuple, which it hasn't taken in yet."""
    not_inlined()
    frame = add_frame(s, entry.time, entry.row)
    frame.opening = as_float(entry.word)
    if s.rules.note_opening != 0:
        s.rules.note_opening(s.rules, frame, entry.word)
    if frame.grown != 0:
        clear(s.rules.plan, frame.grown)
    return frame


@inner
def add_frame(s, time, row):
    """A frame of one tuple in its place of the order; what it comes to isn't set."""
    frame = Frame(s.spare)
    if s.spare != 0:
        s.spare = frame.first
    else:
        frame = allocate(Frame)
        if s.rules.plan.address != 0:
            frame.grown = resize(0, s.rules.plan.state_words)
    frame.first, frame.first_row, frame.last, frame.last_row, frame.reach = time, row, time, row, time
    frame.has_content = False
    insert_in_order(s.frames, time, row, frame.address)
    return frame


@inner
def put_away(s, frame):
    """A frame that is in the order no more, to be used again."""
    frame.first, s.spare = s.spare, frame.address
