"""Split & merge (FRAMES, "Multi-Buffer"): a late tuple changes the frame that it falls into, and those behind it until
tuples are cut as they were before.

    sum, bound 3        [1  1  1] [3] [2  1]              a 2 comes behind the first 1
    recomputed          [1  2] [1  1  3] [2  1]           the first is full sooner; what is left over opens a frame,
                               ▲          ▲               which takes the next one in; then a frame opens where one
                               split      met again       did before: all behind stays as it is

The paper recomputes frame by frame and compares their ends. Here tuples are taken one by one, so that it ends
within a frame where nothing but the youngest tuple matters (threshold, boundary, session: at the next tuple) or frames
opened by equal values (delta). Of sessions with a reach each tuple of a frame stays in it, and only the frames behind
it are looked at, until one begins beyond the reach.

What aggregate frames have come to is always made tuple by tuple from the first: sums of floats depend on how they are
grouped, and a frame must close at the same tuple whichever way it was cut.

    chunks     [ 1 2 3 4 ][ 5 6 7 8 ][ 9 ·          a frame that begins with 2 is cut back to 7
    notes                  ▲ 2+3+4     ▲            2+3+4, then 5, 6 and 7
"""

from windrow.kernels.frames import _frames as frames
from windrow.kernels.frames import _ordered as order
from windrow.kernels.frames._frames import ADD, CUT_WORDS, MERGE, SCOPE, SPLIT, begin
from windrow.kernels.frames._rules import NOTHING, OPENING_VALUE, REACH, Frame, closes_frame
from windrow.kernels.runtime.memory import inlined, inner, not_inlined, resize
from windrow.kernels.states import clear, copy_words, gather, merge


@inner
def insert_late(s, time, row, word):
    """Insert a tuple before others, and cut them again. O(log tuples + log frames + tuples cut again)."""
    not_inlined()
    begin(s, SCOPE)
    chunk, at = order.place_behind(s.tuples, time, row)
    frame = _frame_before(s, chunk, at, time, row)
    begin(s, ADD)
    chunk, at = order.insert_at(s.tuples, chunk, at, time, row, word)
    begin(s, SPLIT)
    s.has_rest = False
    if frame.address != 0 and not frames.is_until(frame.last, frame.last_row, time, row):
        _cut_back(s, frame, chunk, at)
    s.cut, s.cut_row = time, row
    now = take_tuple_at(s, frame, chunk, at)
    has_it = now.address != 0 and now.address == frame.address
    _cut_again(s, now, chunk, at)
    if frame.address != 0:
        _settle_content(s, frame, has_it, time, row)


@inner
def _settle_content(s, frame, has_it, time, row):
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
def _frame_before(s, chunk, at, time, row):
    """The frame that holds the tuple before a place; that place is of (time, row). Address 0: none."""
    if s.frames.count == 0:
        return Frame(0)
    of_frame, at_frame = order.place_behind(s.frames, time, row)
    of_frame, at_frame = order.previous_place(s.frames, of_frame, at_frame)
    if of_frame < s.frames.first:
        return Frame(0)
    frame = frames.frame_at(s, of_frame, at_frame)
    chunk, at = order.previous_place(s.tuples, chunk, at)
    if chunk < s.tuples.first:  # what was before is evicted, with all that would have closed the frame
        return frame
    before = order.entry_at(s.tuples, chunk, at)
    return frame if frames.is_until(before.time, before.row, frame.last, frame.last_row) else Frame(0)


@inner
def _begin_rest(s, frame):
    copy_words(s.rest.address, frame.address, CUT_WORDS)
    s.has_rest = True


@inner
def _cut_back(s, frame, chunk, at):
    """A frame ends before the new tuple, at that place, and has a rest behind it."""
    _begin_rest(s, frame)
    chunk, at = order.previous_place(s.tuples, chunk, at)
    if chunk >= s.tuples.first:
        before = order.entry_at(s.tuples, chunk, at)
        frame.last, frame.last_row = before.time, before.row
    else:
        frame.last, frame.last_row = s.evicted, s.evicted_row
    if frame.grown != 0:
        grow_until(s, frame, frame.grown, frame.last, frame.last_row)


@inner
def _cut_again(s, frame, chunk, at):
    """Cut the tuples behind a place, which `frame` holds (or none), until they are cut as before."""
    chunk, at = order.next_place(s.tuples, chunk, at)
    while chunk < s.tuples.end:
        entry = order.entry_at(s.tuples, chunk, at)
        s.cut, s.cut_row = entry.time, entry.row
        if not s.has_rest:
            of_frame, at_frame = frames.opening_at(s, entry.time, entry.row)
            if of_frame < s.frames.end:
                if frame.address == 0 or closes_frame(s.rules, frame, entry):
                    return
                begin(s, MERGE)
                merged = frames.frame_at(s, of_frame, at_frame)
                _begin_rest(s, merged)
                frames.put_away(s, merged)
                order.remove_at(s.frames, of_frame, at_frame)
                begin(s, SPLIT)
        frame = take_tuple_at(s, frame, chunk, at)
        if not s.has_rest and frame.address == 0:
            return
        if s.has_rest and _is_as_before(s, frame, entry):
            if s.rules.depends_on != REACH:  # whose frame has taken in all of the rest, and reaches at least as far
                return
            s.has_rest, frame.reach = False, max(frame.reach, s.rest.reach)
            chunk, at = order.first_behind(s.tuples, frame.last, frame.last_row)
            continue
        if s.has_rest and frame.grown != 0:
            at = _grow_over_rest(s, frame, chunk, at)
        chunk, at = order.next_place(s.tuples, chunk, at)


@inner
def _grow_over_rest(s, frame, chunk, at):
    """An aggregate frame takes in what follows in the chunk and the rest, until it closes → its last tuple's place."""
    of, rest = order.chunk_at(s.tuples, chunk), s.rest
    end = of.count
    if order.is_behind(of.entries[end - 1], rest.last, rest.last_row):
        _, end = order.place_behind(s.tuples, rest.last, rest.last_row)
    taken = frames.grow_over(s, frame.grown, of.entries[at + 1], end - at - 1, True)
    if taken > 0:
        last = of.entries[at + taken]
        frame.last, frame.last_row = last.time, last.row
        s.has_rest = last.row != rest.last_row
    return at + taken


@inner
def _is_as_before(s, frame, entry):
    """Whether the rest behind a tuple belongs to the frame as it stands."""
    rest, depends_on = s.rest, s.rules.depends_on
    if depends_on in (NOTHING, REACH) or (depends_on == OPENING_VALUE and frame.opening == rest.opening):
        frame.last, frame.last_row = rest.last, rest.last_row
        return True
    s.has_rest = entry.row != rest.last_row
    return False


@inner
def take_tuple_at(s, frame, chunk, at):
    """take_tuple of the tuple at a place."""
    inlined()
    if at == 0 and frame.address != 0 and frame.grown != 0:
        _note(s, chunk, frame.grown)
    return frames.take_tuple(s, frame, order.entry_at(s.tuples, chunk, at))


@inner
def _note(s, chunk, grown):
    """Before the first tuple of a chunk: what the aggregate frame that may take it in has come to, so that who cuts it
    again needn't begin with the frame's first tuple."""
    of = order.chunk_at(s.tuples, chunk)
    if of.note == 0:
        of.note = resize(0, s.rules.plan.state_words)
    copy_words(of.note, grown, s.rules.plan.state_words)
    of.has_note = True


@inner
def grow_until(s, frame, into, last, last_row):
    """Make `into` what an aggregate frame came to with the tuple (last, last_row). O(log tuples + entries of a few
    chunks); of a frame without notes, as loaded ones are, O(its tuples) once."""
    end_chunk, end = order.place_behind(s.tuples, last, last_row)
    chunk, at = _start_growing(s, frame, into, end_chunk)
    while chunk < end_chunk:
        of = order.chunk_at(s.tuples, chunk)
        frames.grow_over(s, into, of.entries[at], of.count - at, False)
        chunk, at = chunk + 1, 0
        _note(s, chunk, into)
    if at < end:
        frames.grow_over(s, into, order.entry_at(s.tuples, chunk, at), end - at, False)


@inner
def _start_growing(s, frame, into, chunk):
    """(chunk, at) of the tuples that are still to be taken in, from the nearest note on."""
    while chunk > s.tuples.first and order.is_behind(order.entry_at(s.tuples, chunk, 0), frame.first, frame.first_row):
        if order.chunk_at(s.tuples, chunk).has_note:
            copy_words(into, order.chunk_at(s.tuples, chunk).note, s.rules.plan.state_words)
            return chunk, 0
        chunk -= 1
    if not frames.lost_tuples(s, frame):
        clear(s.rules.plan, into)
    elif into != s.cut_grown:  # what an eviction took from it
        copy_words(into, s.cut_grown, s.rules.plan.state_words)
    return order.first_behind(s.tuples, frame.first, frame.first_row - 1)
