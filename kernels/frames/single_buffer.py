"""Single buffer (FRAMES): one circular array of tuples, and frames that are made again from all of them.

    tuples      8 │ 9 │ · │ 3 │ 4 │ 5 │ 6 │ 7        a new one is appended, put in its place (eager), or appended and
                    end ▲   ▲ first                  sorted with all others at the end of the burst (lazy)

Tuples in order need no more than the youngest frame. Otherwise each burst costs a walk over the whole buffer: the
baseline of the multi-buffer. The array doesn't grow: once more than `evict_after` frames are there, the `evict` oldest
go with their tuples; a policy under which a tuple finds no free cell is an error that says so, never an overwrite.
"""

from kernels.columns import require_whole
from kernels.frames import _frames as frames
from kernels.frames import _ring as ring
from kernels.frames._buffers import over_tuples
from kernels.frames._frames import ADD, EVICT, IDLE, SCOPE, KeyFrames, begin
from kernels.frames._object import FrameWindow
from kernels.frames._ordered import LAST_ROW, is_behind
from kernels.frames._rules import DONE, FULL, OUT_OF_ORDER, TOO_OLD, Frame, FrameRules, is_in_frames, value_of
from kernels.frames._saving import check_frames, held_in_order
from kernels.runtime.fields import Code, Count, Flag, Inline
from kernels.runtime.memory import as_float, as_word, inner, not_inlined, release
from kernels.runtime.struct import Struct, allocate
from kernels.states.layout import StatePlan
from kernels.states.state_plan import Plan
from schemas.errors import WrongParameter

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
    """has_new: whether tuples have come since the last walk."""

    tuples: Inline(ring.Ring)
    options: Inline(SingleBufferOptions)
    has_new: Flag()


IN_RING, SHARED = over_tuples("single_buffer", SingleBuffer, ring)


def create(plan: StatePlan, rules: FrameRules, options: SingleBufferOptions):
    s = allocate(SingleBuffer)
    ring.start_ring(s.tuples, options.capacity)
    frames.start_frames(s, plan, rules)
    s.options.sorting, s.options.capacity = options.sorting, options.capacity
    s.options.evict_after, s.options.evict = options.evict_after, options.evict
    return s.address


def destroy(s: SingleBuffer):
    frames.release_frames(s)
    release(s.tuples.entries.address)
    release(s.address)


def reset(s: SingleBuffer):
    frames.drop_frames(s)
    s.tuples.first = s.tuples.end = 0
    s.has_new = False


def insert(s: SingleBuffer, time, row):
    """In order and lazily O(1), eagerly O(tuples behind it)."""
    if time < s.floor:
        return TOO_OLD
    if not is_in_frames(s.rules, s.events, row):
        return DONE
    if ring.room_of(s.tuples) == 0:
        return FULL
    begin(s, ADD)
    status, value = DONE, value_of(s.rules, s.events, row)
    if s.options.sorting == IN_ORDER:
        status = _cut_next(s, time, row, value)
    else:
        s.has_new = True
        if s.options.sorting == EAGER:
            ring.insert_in_order(s.tuples, time, row, as_word(value))
        else:
            ring.append_entry(s.tuples, time, row, as_word(value))
    begin(s, IDLE)
    return status


@inner
def _cut_next(s, time, row, value):
    frame = Frame(0)
    if s.tuples.end > s.tuples.first:
        before = ring.entry_at(s.tuples, s.tuples.end - 1, 0)
        if is_behind(before, time, row):
            return OUT_OF_ORDER
        frame = frames.last_frame_with(s, before)
    ring.append_entry(s.tuples, time, row, as_word(value))
    frames.take_tuple(s, frame, time, row, value)
    return DONE


def close_burst(s: SingleBuffer):
    """O(tuples), lazily O(tuples · log tuples); in order O(frames that go)."""
    if s.has_new:
        begin(s, SCOPE)
        if s.options.sorting == LAZY:
            ring.heap_sort(s.tuples)
        _scope(s)
        s.has_new = False
    if s.options.evict_after > 0 and s.frames.count > s.options.evict_after:
        begin(s, EVICT)
        while s.frames.count > s.options.evict_after:
            for _ in range(s.options.evict):
                frames.drop_first_frame(s)
        s.floor = max(s.floor, frames.frame_at(s, s.frames.first, 0).first)
        s.tuples.first = _first_of_frames(s)
    begin(s, IDLE)


@inner
def _scope(s):
    """Walk all tuples and cut them, as if nothing had been cut before (FRAMES, algorithm 1). O(tuples) each time."""
    not_inlined()
    s.cut = frames.NOWHERE
    while s.frames.count > 0:
        frames.drop_first_frame(s)
    frame = Frame(0)
    for place in range(s.tuples.first, s.tuples.end):
        entry = ring.entry_at(s.tuples, place, 0)
        frame = frames.take_tuple(s, frame, entry.time, entry.row, as_float(entry.word))


@inner
def _first_of_frames(s):
    """Place of the first tuple of the oldest frame."""
    frame = frames.frame_at(s, s.frames.first, 0)
    place, _ = ring.place_behind(s.tuples, frame.first, frame.first_row - 1)
    return place


def evict(s: SingleBuffer, time):
    """Whole frames only: "in this way we are sure to avoid cutting a window"."""
    begin(s, EVICT)
    s.floor = max(s.floor, time)
    IN_RING.drop_closed(s, time)
    place, _ = ring.place_behind(s.tuples, time - 1, LAST_ROW)
    s.tuples.first = place if s.frames.count == 0 else min(place, _first_of_frames(s))
    begin(s, IDLE)


def check(address: int, plan: Plan) -> None:
    """O(tuples · frames)."""
    s = SingleBuffer(address)
    kept = s.tuples.end - s.tuples.first
    assert 0 <= kept <= s.tuples.capacity, f"capacity: {kept} tuples of {s.tuples.capacity}"
    entries = [s.tuples.entries[place & s.tuples.mask] for place in range(s.tuples.first, s.tuples.end)]
    check_frames(s, held_in_order(entries, "tuples"), False)


class SingleBufferWindow(FrameWindow):
    """insert O(1) in order or lazily, O(tuples) eagerly; a burst O(tuples), lazily O(tuples · log tuples), in order
    O(1); content of a frame O(log tuples + its tuples).

    Memory: room for `capacity` tuples, and rows from the arrival of the first of those that are kept.
    """

    OPTIONS = ("sorting", "capacity", "evict_after", "evict")
    OPERATIONS = (create, destroy, reset, insert, close_burst, evict, *SHARED)
    _check = staticmethod(check)

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


KERNEL = SingleBufferWindow
