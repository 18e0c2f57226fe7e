"""Single buffer (FRAMES): tuples in order, and frames that are made again from all of them.

    tuples      1   2   4   5   6   8   9        a new one is put in its place (eager), or kept as it came, and put
                                                 there with the others of its burst (lazy); then all are cut

Tuples in order only touch the youngest frame. Any other burst costs a walk over the whole buffer: this is the baseline
of the multi-buffer. Once there are more than `evict_after` frames, the `evict` oldest frames are removed with their
tuples. If a tuple finds no free cell, the kernel raises an error and never overwrites a tuple. The paper's buffer is a
circular array, in which a late tuple moves the tuples after it; here tuples are kept in chunks, as in the multi-buffer.
"""

from windrow.kernels.columns import require_whole
from windrow.kernels.frames import _buffers
from windrow.kernels.frames import _frames as frames
from windrow.kernels.frames import _ordered as order
from windrow.kernels.frames._buffers import SHARED, cut_all, drop_closed
from windrow.kernels.frames._frames import ADD, EVICT, IDLE, SCOPE, KeyFrames, begin
from windrow.kernels.frames._object import FrameWindow
from windrow.kernels.frames._rules import DONE, FULL, OUT_OF_ORDER, TOO_OLD, Frame, FrameRules, is_in_frames, value_of
from windrow.kernels.runtime.fields import Code, Count, Flag, Inline
from windrow.kernels.runtime.memory import WORD_BYTES, as_word, inner
from windrow.kernels.runtime.struct import Struct, allocate
from windrow.kernels.states import copy_words
from windrow.kernels.states.layout import StatePlan
from windrow.schemas.errors import WrongParameter

SORTINGS = ("in_order", "eager", "lazy")
IN_ORDER, EAGER, LAZY = range(3)
MOST_CAPACITY = 1 << 28


class SingleBufferOptions(Struct):
    """sorting: place in SORTINGS; evict_after: frames that stay, 0 for all; evict: how many go then."""

    sorting: Code
    capacity: Count
    evict_after: Count
    evict: Count


class SingleBuffer(KeyFrames):
    """incoming: tuples of the burst, as they came; has_new: whether some have come since the last walk."""

    options: Inline(SingleBufferOptions)
    incoming: Inline(order.Ordered)
    has_new: Flag()


OPTION_WORDS = SingleBufferOptions.size_bytes // WORD_BYTES


def create(plan: StatePlan, rules: FrameRules, options: SingleBufferOptions):
    s = allocate(SingleBuffer)
    frames.start_frames(s, plan, rules)
    copy_words(s.options.address, options.address, OPTION_WORDS)
    s.capacity = options.capacity
    return s.address


def destroy(s: SingleBuffer):
    order.release_ordered(s.incoming)
    _buffers.destroy(s)


def reset(s: SingleBuffer):
    _buffers.reset(s)
    order.drop_all(s.incoming)
    s.has_new = False


def insert(s: SingleBuffer, time, row):
    """In order and lazily O(1), eagerly O(log tuples)."""
    if time < s.floor:
        return TOO_OLD
    if not is_in_frames(s.rules, s.events, row):
        return DONE
    if s.tuples.count + s.incoming.count == s.capacity:
        return FULL
    begin(s, ADD)
    status, word = DONE, as_word(value_of(s.rules, s.events, row))
    if s.options.sorting == IN_ORDER:
        status = _cut_next(s, time, row, word)
    else:
        s.has_new = True
        if s.options.sorting == EAGER:
            order.insert_in_order(s.tuples, time, row, word)
        else:
            order.append(s.incoming, time, row, word)
    begin(s, IDLE)
    return status


@inner
def _cut_next(s, time, row, word):
    frame = Frame(0)
    if s.tuples.count > 0:
        before = order.last_entry(s.tuples)
        if order.is_behind(before, time, row):
            return OUT_OF_ORDER
        frame = frames.last_frame_with(s, before)
    chunk, at = order.append(s.tuples, time, row, word)
    frames.take_tuple(s, frame, order.entry_at(s.tuples, chunk, at))
    return DONE


def close_burst(s: SingleBuffer):
    """O(tuples), of lazy ones O(log tuples) each more; in order O(frames that go)."""
    if s.has_new:
        begin(s, SCOPE)
        _sort_incoming(s)
        s.cut, s.has_new = frames.NOWHERE, False
        while s.frames.count > 0:
            frames.drop_first_frame(s)
        cut_all(s, Frame(0))  # as if nothing had been cut before (FRAMES, algorithm 1)
    if s.options.evict_after > 0 and s.frames.count > s.options.evict_after:
        begin(s, EVICT)
        while s.frames.count > s.options.evict_after:
            for _ in range(s.options.evict):
                frames.drop_first_frame(s)
        _drop_before_frames(s)
        s.floor = max(s.floor, frames.frame_at(s, s.frames.first, 0).first)
    begin(s, IDLE)


@inner
def _sort_incoming(s):
    chunk, at = s.incoming.first, 0
    while chunk < s.incoming.end:
        entry = order.entry_at(s.incoming, chunk, at)
        order.insert_in_order(s.tuples, entry.time, entry.row, entry.word)
        chunk, at = order.next_place(s.incoming, chunk, at)
    order.drop_all(s.incoming)


@inner
def _drop_before_frames(s):
    frame = frames.frame_at(s, s.frames.first, 0)
    order.drop_until(s.tuples, frame.first, frame.first_row - 1)


def evict(s: SingleBuffer, time):
    """Whole frames only: "in this way we are sure to avoid cutting a window"."""
    begin(s, EVICT)
    s.floor = max(s.floor, time)
    drop_closed(s, time)
    if s.frames.count > 0 and frames.frame_at(s, s.frames.first, 0).first < time:
        _drop_before_frames(s)
    else:
        order.drop_before(s.tuples, time)
    begin(s, IDLE)


class SingleBufferWindow(FrameWindow):
    """insert O(1) in order or with lazy sorting, O(log tuples) with eager sorting; a burst O(1) in order, else
    O(tuples), and with lazy sorting O(log tuples) more for each of its tuples; content of a frame O(log tuples + its
    tuples).

    Memory: an entry for each of at most `capacity` tuples, and the rows of all arrivals since the first kept tuple.
    """

    OPTIONS = ("sorting", "capacity", "evict_after", "evict")
    PANE_OPTIONS = ("sorting", "capacity")
    OPERATIONS = (*SHARED, create, destroy, reset, insert, close_burst, evict)

    @classmethod
    def pane_option(cls, options) -> SingleBufferOptions:
        """sorting: one of SORTINGS; capacity: tuples, of which no more are kept; evict_after, evict: frames that stay,
        those too short to be one among them, and how many of the oldest go at a time while there are more. Raises
        WrongParameter."""
        given = {"sorting": "eager", "capacity": 1 << 16, "evict_after": 0, "evict": 0} | dict(options)
        if not isinstance(given["sorting"], str) or given["sorting"] not in SORTINGS:
            raise WrongParameter("sorting", given["sorting"], f"one of {', '.join(SORTINGS)}")
        require_whole("capacity", given["capacity"], 1, MOST_CAPACITY)
        require_whole("evict_after", given["evict_after"], 0, given["capacity"] - 1)
        if given["evict_after"] == 0 and given["evict"] != 0:
            raise WrongParameter("evict", given["evict"], "none without evict_after, which says when frames go")
        require_whole("evict", given["evict"], min(1, given["evict_after"]), given["evict_after"])
        return SingleBufferOptions.make(**given | {"sorting": SORTINGS.index(given["sorting"])})


KERNEL = SingleBufferWindow
