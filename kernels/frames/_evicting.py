"""Eviction from the multi-buffer: frames that nothing changes go, and of the first that stays, the tuples that no other
comes before; it keeps what they come to.

    floor 12      [3 ── 8] closed by 9        goes
                  [9 ─ 11 │ 12 ── 15]         stays; 9 … 11 are one state
"""

from kernels.frames._content import IN_CHUNKS
from kernels.frames._frames import drop_first_frame, frame_at
from kernels.frames._growing import grow_until
from kernels.frames._ordered import LAST_ROW, drop_before, entry_at, place_behind, previous_place
from kernels.runtime.memory import inner


@inner
def evict_before(s, time):
    """O(log tuples + what goes)."""
    while s.frames.count > 0:
        chunk, at = IN_CHUNKS.closing_tuple(s, frame_at(s, s.frames.first, 0))
        if chunk == s.tuples.end or entry_at(s.tuples, chunk, at).time >= time:
            break
        drop_first_frame(s)
    if s.frames.count > 0 and s.tuples.count > 0 and entry_at(s.tuples, s.tuples.first, 0).time < time:
        frame = frame_at(s, s.frames.first, 0)
        if frame.first < time:
            _cut_off(s, frame, time)
    drop_before(s.tuples, time)


@inner
def _cut_off(s, frame, time):
    """All tuples of a frame before a time are evicted; there are some."""
    if frame.has_content:
        IN_CHUNKS.content_of(s, frame)
    chunk, at = place_behind(s.tuples, time - 1, LAST_ROW)
    chunk, at = previous_place(s.tuples, chunk, at)
    evicted = entry_at(s.tuples, chunk, at)
    span = (frame.first, frame.first_row, evicted.time, evicted.row)
    IN_CHUNKS.fold_tuples(s, s.cut_content, span, not s.is_cut)
    if frame.grown != 0:
        grow_until(s, frame, s.cut_grown, evicted.time, evicted.row)
    s.is_cut, s.evicted, s.evicted_row = True, evicted.time, evicted.row
