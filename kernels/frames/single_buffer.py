"""Single buffer (FRAMES): one circular array of tuples, and frames that are made again from all of them.

    tuples      8 │ 9 │ · │ 3 │ 4 │ 5 │ 6 │ 7        a new one is appended, put in its place (eager), or appended and
                    end ▲   ▲ first                  sorted with all others at the end of the burst (lazy)

Tuples in order need no more than the youngest frame. Otherwise each burst costs a walk over the whole buffer: the
baseline of the multi-buffer. The array doesn't grow: once more than `evict_after` frames are there, the `evict` oldest
go with their tuples; a policy under which a tuple finds no free cell is an error that says so, never an overwrite.
"""

from functools import cache

from kernels.columns import require_whole
from kernels.frames._buffers import shared_operations
from kernels.frames._checking import Held, check_frames, require_ascending
from kernels.frames._content import Buffer, contents
from kernels.frames._dispatch import DONE, FULL, OUT_OF_ORDER, TOO_OLD, FrameKernel
from kernels.frames._frames import (
    KeyFrames,
    drop_first_frame,
    drop_frames,
    frame_at,
    last_frame_with,
    release_frames,
    start_frames,
    take_tuple,
)
from kernels.frames._meter import ADD, EVICT, IDLE, SCOPE, begin
from kernels.frames._object import FrameWindow
from kernels.frames._ordered import ENTRY_WORDS, LAST_ROW, is_behind
from kernels.frames._ring import (
    Ring,
    entry_at,
    heap_sort,
    holds,
    insert_in_order,
    place_behind,
    standing,
    start_ring,
    write_entry,
)
from kernels.frames._rules import Frame, FrameRules, is_in_frames, value_of
from kernels.frames._saving import are_entries, load_frames, load_head
from kernels.frames._scope import scope
from kernels.runtime.fields import Code, Count, Flag, Inline
from kernels.runtime.memory import WORD_BYTES, as_word, inner, release
from kernels.runtime.struct import Struct, allocate, words_at
from kernels.runtime.tables import compiled_table
from kernels.states.layout import StatePlan
from kernels.states.state_plan import Plan
from schemas.errors import WrongParameter

SORTINGS = ("in_order", "eager", "lazy")
IN_ORDER, EAGER, LAZY = range(3)


class SingleBufferOptions(Struct):
    """sorting: place in SORTINGS; evict_after: frames that stay, 0 for all; evict: how many go then."""

    sorting: Code
    capacity: Count
    evict_after: Count
    evict: Count


class SingleBuffer(KeyFrames):
    """has_new: whether tuples have come since the last walk."""

    tuples: Inline(Ring)
    options: Inline(SingleBufferOptions)
    has_new: Flag()


def create(plan: StatePlan, rules: FrameRules, options: SingleBufferOptions):
    s = allocate(SingleBuffer)
    start_ring(s.tuples, options.capacity)
    start_frames(s, plan, rules)
    s.options.sorting, s.options.capacity = options.sorting, options.capacity
    s.options.evict_after, s.options.evict = options.evict_after, options.evict
    return s.address


def destroy(s: SingleBuffer):
    release_frames(s)
    release(s.tuples.entries.address)
    release(s.address)


def reset(s: SingleBuffer):
    drop_frames(s)
    s.tuples.first = s.tuples.end = 0
    s.has_new = False


def insert(s: SingleBuffer, time, row):
    """In order and lazily O(1), eagerly O(tuples behind it)."""
    if time < s.floor:
        return TOO_OLD
    if not is_in_frames(s.rules, s.events, row):
        return DONE
    if s.tuples.end - s.tuples.first == s.tuples.capacity:
        return FULL
    begin(s, ADD)
    value = value_of(s.rules, s.events, row)
    if s.options.sorting == IN_ORDER:
        status = _append(s, time, row, value)
        begin(s, IDLE)
        return status
    s.has_new = True
    if s.options.sorting == EAGER:
        insert_in_order(s.tuples, time, row, as_word(value))
    else:
        write_entry(s.tuples, s.tuples.end, time, row, as_word(value))
        s.tuples.end += 1
    begin(s, IDLE)
    return DONE


@inner
def _append(s, time, row, value):
    frame = Frame(0)
    if s.tuples.end > s.tuples.first:
        before = entry_at(s.tuples, s.tuples.end - 1, 0)
        if is_behind(before, time, row):
            return OUT_OF_ORDER
        frame = last_frame_with(s, before)
    write_entry(s.tuples, s.tuples.end, time, row, as_word(value))
    s.tuples.end += 1
    take_tuple(s, frame, time, row, value)
    return DONE


def close_burst(s: SingleBuffer):
    """O(tuples), lazily O(tuples · log tuples); in order O(frames that go)."""
    if s.has_new:
        begin(s, SCOPE)
        if s.options.sorting == LAZY:
            heap_sort(s.tuples)
        scope(s)
        s.has_new = False
    if s.options.evict_after > 0 and s.frames.count > s.options.evict_after:
        begin(s, EVICT)
        while s.frames.count > s.options.evict_after:
            for _ in range(s.options.evict):
                drop_first_frame(s)
        _drop_tuples(s)
    begin(s, IDLE)


@inner
def _drop_tuples(s):
    """Those before the oldest frame: no frame is cut."""
    s.floor = max(s.floor, frame_at(s, s.frames.first, 0).first)
    s.tuples.first = _first_of_frames(s)


@inner
def _first_of_frames(s):
    """Place of the first tuple of the oldest frame."""
    frame = frame_at(s, s.frames.first, 0)
    place, _ = place_behind(s.tuples, frame.first, frame.first_row - 1)
    return place


RING = Buffer("single_buffer", place_behind, standing, entry_at, holds)
IN_RING = contents(RING)


def evict(s: SingleBuffer, time):
    """Whole frames only: "in this way we are sure to avoid cutting a window"."""
    begin(s, EVICT)
    s.floor = max(s.floor, time)
    while s.frames.count > 0:
        place, _ = IN_RING.closing_tuple(s, frame_at(s, s.frames.first, 0))
        if place == s.tuples.end or entry_at(s.tuples, place, 0).time >= time:
            break
        drop_first_frame(s)
    place, _ = place_behind(s.tuples, time - 1, LAST_ROW)
    s.tuples.first = place if s.frames.count == 0 else min(place, _first_of_frames(s))
    begin(s, IDLE)


def load(s: SingleBuffer, saved, there, first, end):
    read = load_head(s, saved, there)
    at = saved + read * WORD_BYTES
    if read == 0 or not are_entries(at, there - read, first - s.row_offset, end - s.row_offset):
        return False
    count = words_at(at)[0]
    if count > s.tuples.capacity:
        return False
    at += WORD_BYTES
    for place in range(count):
        words = words_at(at)
        write_entry(s.tuples, place, words[0], words[1] + s.row_offset, words[2])
        at += ENTRY_WORDS * WORD_BYTES
    s.tuples.end = count
    return load_frames(s, at, there - (at - saved) // WORD_BYTES)


OPERATIONS = (create, destroy, reset, insert, close_burst, evict, load)


@cache
def dispatch() -> FrameKernel:
    """The table, compiled or loaded when it is first asked for."""
    shared = shared_operations(SingleBuffer, RING, IN_RING)
    return compiled_table(FrameKernel, "single_buffer", shared | {each.__name__: each for each in OPERATIONS})


def check(address: int, plan: Plan) -> None:
    """O(tuples · frames)."""
    s = SingleBuffer(address)
    kept = s.tuples.end - s.tuples.first
    assert 0 <= kept <= s.tuples.capacity, f"capacity: {kept} tuples of {s.tuples.capacity}"
    entries = [s.tuples.entries[place & s.tuples.mask] for place in range(s.tuples.first, s.tuples.end)]
    tuples = [Held(entry.time, entry.row, entry.word) for entry in entries]
    require_ascending(tuples, "tuples")
    check_frames(s, tuples, False)


class SingleBufferWindow(FrameWindow):
    """insert O(1) in order or lazily, O(tuples) eagerly; a burst O(tuples), lazily O(tuples · log tuples), in order
    O(1); content of a frame O(log tuples + its tuples).

    Memory: room for `capacity` tuples, and rows from the arrival of the first of those that are kept.
    """

    OPTIONS = ("sorting", "capacity", "evict_after", "evict")
    dispatch, _check = staticmethod(dispatch), staticmethod(check)

    @classmethod
    def structure_options(cls, options) -> SingleBufferOptions:
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


MOST_CAPACITY = 1 << 28
KERNEL = SingleBufferWindow
