"""Multi-buffer (FRAMES): frames in order over tuples in order; of a late tuple only the frames that it changes are cut
again.

    frames      [1 ── 4]         [6 ── 9]          each knows its first and its last tuple
    tuples       1   2   4   5    6   8   9        a late 3 goes between 2 and 4, and the frame that ends with 4 is
                                                   looked at; the one behind stays

Frames and tuples are kept in chunks (_ordered.py), where the paper has linked lists: so a place is found in O(log) and
not by a walk. _split_and_merge.py cuts those frames again that a late tuple changes.
"""

from windrow.kernels.frames import _frames as frames
from windrow.kernels.frames import _ordered as order
from windrow.kernels.frames._buffers import SHARED, content, drop_closed, fold_tuples
from windrow.kernels.frames._frames import ADD, EVICT, IDLE, SCOPE, SPLIT, KeyFrames, begin
from windrow.kernels.frames._object import FrameWindow
from windrow.kernels.frames._rules import DONE, TOO_OLD, Frame, FrameRules, is_in_frames, value_of
from windrow.kernels.frames._split_and_merge import grow_until, insert_late, take_tuple_at
from windrow.kernels.runtime.fields import Flag, Inline
from windrow.kernels.runtime.memory import as_word, inner
from windrow.kernels.runtime.struct import allocate, words_at
from windrow.kernels.states.layout import StatePlan


class MultiBuffer(KeyFrames):
    """rest: the frame that is being cut again, as it was, if has_rest: tuples of it are still to be cut."""

    rest: Inline(Frame)
    has_rest: Flag()


def create(plan: StatePlan, rules: FrameRules, no_options):
    s = allocate(MultiBuffer)
    frames.start_frames(s, plan, rules)
    return s.address


def insert(s: MultiBuffer, time, row):
    """In order O(1); late O(log tuples + log frames + tuples that are cut again)."""
    if time < s.floor:
        return TOO_OLD
    if not is_in_frames(s.rules, s.events, row):
        return DONE
    word = as_word(value_of(s.rules, s.events, row))
    if s.tuples.count > 0 and order.is_behind(order.last_entry(s.tuples), time, row):
        insert_late(s, time, row, word)
    else:
        begin(s, SCOPE)
        frame = _open_frame(s)
        begin(s, ADD)
        chunk, at = order.append(s.tuples, time, row, word)
        begin(s, SPLIT)
        take_tuple_at(s, frame, chunk, at)
    begin(s, IDLE)
    return DONE


def append_run(s: MultiBuffer, times, row, end):
    """O(1) each."""
    times, frame = words_at(times), _open_frame(s)
    while row < end:
        if is_in_frames(s.rules, s.events, row):
            chunk, at = order.append(s.tuples, times[row], row, as_word(value_of(s.rules, s.events, row)))
            now = take_tuple_at(s, frame, chunk, at)
            if frame.address != 0 and now.address != frame.address:
                return row + 1
            frame = now
        row += 1
    return end


@inner
def _open_frame(s):
    """The frame that the next tuple in order may grow; address 0: there is none."""
    if s.tuples.count > 0:
        return frames.last_frame_with(s, order.last_entry(s.tuples))
    # of a frame that is there all tuples are evicted, and nothing has closed it
    return frames.last_frame(s) if s.frames.count > 0 else Frame(0)


def close_burst(s: MultiBuffer):
    """Frames are as they should be after each tuple."""


def evict(s: MultiBuffer, time):
    """Frames that nothing changes go, and of the first that stays, the tuples that no other comes before; it keeps what
    they come to. O(log tuples + what goes).

    time 12      [3 ── 8] closed by 9        goes
                 [9 ─ 11 │ 12 ── 15]         stays; 9 … 11 are one state
    """
    begin(s, EVICT)
    s.floor = max(s.floor, time)
    drop_closed(s, time)
    if s.frames.count > 0 and s.tuples.count > 0 and order.entry_at(s.tuples, s.tuples.first, 0).time < time:
        frame = frames.frame_at(s, s.frames.first, 0)
        if frame.first < time:
            _cut_off(s, frame, time)
    order.drop_before(s.tuples, time)
    begin(s, IDLE)


@inner
def _cut_off(s, frame, time):
    """All tuples of a frame before a time are evicted; there are some."""
    if frame.has_content:
        content(s, frame)
    chunk, at = order.place_behind(s.tuples, time - 1, order.LAST_ROW)
    chunk, at = order.previous_place(s.tuples, chunk, at)
    evicted = order.entry_at(s.tuples, chunk, at)
    span = (frame.first, frame.first_row, evicted.time, evicted.row)
    fold_tuples(s, s.cut_content, span, not s.is_cut)
    if frame.grown != 0:
        grow_until(s, frame, s.cut_grown, evicted.time, evicted.row)
    s.is_cut, s.evicted, s.evicted_row = True, evicted.time, evicted.row


class MultiBufferWindow(FrameWindow):
    """insert O(1) in order, else O(log tuples + log frames + tuples that are cut again), and now and then O(chunks);
    content of a frame O(tuples not yet added to it), or all its tuples after a late one if an aggregate doesn't
    commute; evict O(tuples and frames that go).

    Memory: an entry for each tuple since the last eviction, and the rows of all arrivals since the first such tuple.
    """

    OPERATIONS = (*SHARED, create, append_run, insert, close_burst, evict)


KERNEL = MultiBufferWindow
