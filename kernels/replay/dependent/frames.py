"""Sessions and frames as a source of windows: a kernel of kernels/frames holds the tuples, and cuts them.

frames      [1 ── 4]  [6 ── 9]  [11 ─ …        a tuple at 7 is of [6, 9] or cuts it, and may end [1, 4] elsewhere:
go_before   ▲         7                        the source stands before [1, 4]
"""

from windrow.kernels.aggregators._dispatch import FOREVER
from windrow.kernels.bounds import KernelWindow
from windrow.kernels.frames._frames import KeyFrames, frame_at, is_until, last_frame
from windrow.kernels.frames._ordered import drop_before, last_place, next_place, place_behind, previous_place, standing
from windrow.kernels.frames._rules import DONE, NONE, FrameRules, is_in_frames, is_long_enough
from windrow.kernels.replay.clock import NEVER
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.dependent.state import WindowSource, copy_window, move_up, set_ends
from windrow.kernels.replay.stop import REFUSED
from windrow.kernels.runtime.fields import Flag, Microseconds, Ref
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.states import events_of

BEHIND_ALL = 1 << 62
"""As number of what is no window: it stands behind those with the same ends."""


class CutWindow(KernelWindow):
    """A window of a session or a frame, which ends behind its tuples.

    tail      first ── last ───▶ end        a gap behind the last tuple, of frames a microsecond
    reach     first ── last · · ▶ end       as far as one of its tuples reaches, the last or an earlier one

    rules: what cuts tuples. tail: from the time of a frame's last tuple to its end; ends_at_reach: it ends at its
    reach instead. passes_at_end: whether the watermark passes that end, also if no tuple comes; else it must reach the
    tuple that closed the frame."""

    rules: Ref(FrameRules)
    tail: Microseconds
    ends_at_reach: Flag()
    passes_at_end: Flag()


@inner
def end_of(window, frame):
    return frame.reach if window.ends_at_reach else frame.last + window.tail


def start_key(r: Replay):
    KeyFrames(r.structure).events = r.events.columns


def take(r: Replay, row):
    s, window, time = KeyFrames(r.structure), CutWindow(r.window.address), r.events.starts[row]
    s.cut, s.cut_row = NEVER, NONE
    status = r.frames.insert(r.structure, time, row)
    if status != DONE and r.dependent.refused == DONE:
        r.dependent.refused, r.dependent.refused_row = status, row
        r.stop.asked = REFUSED
    if not is_in_frames(window.rules, s.events, row):
        return 0
    move_up(r.dependent.changed_to, s.cut, s.cut_row)
    return 1


def take_run(r: Replay, first, end):
    """O(1) each; a row at a time by a kernel that must sort."""
    window, dependent = CutWindow(r.window.address), r.dependent
    if r.frames.append_run == 0:
        return first
    row = r.frames.append_run(r.structure, r.events.starts, first, end)
    if window.passes_at_end:
        dependent.next_passes = _least_end(r, window)
    else:
        dependent.next_passes = min(dependent.next_passes, r.events.starts[row - 1])
    return row


@inner
def _least_end(r, window):
    """No session behind the frontier ends before that: it is that of the youngest, if all others have passed."""
    s, dependent = KeyFrames(r.structure), r.dependent
    if s.frames.count == 0:  # no tuple that came had a gap
        return dependent.next_passes
    chunk, at = last_place(s.frames)
    end = end_of(window, frame_at(s, chunk, at))
    if _has_before(s.frames, chunk, at):
        before = frame_at(s, *previous_place(s.frames, chunk, at))
        if not is_until(before.last, before.last_row, dependent.frontier.time, dependent.frontier.row):
            end = min(dependent.next_passes, end_of(window, before))
    return end


def close_burst(r: Replay):
    r.frames.close_burst(r.structure)
    s = KeyFrames(r.structure)
    move_up(r.dependent.changed_to, s.cut, s.cut_row)


@inner
def go_before(r: Replay, time, row):
    """Two frames back: the one that such a tuple belongs to or opens, and the one that it may have been of. O(log
    frames)."""
    s, dependent = KeyFrames(r.structure), r.dependent
    chunk, at = place_behind(s.frames, time, row)
    for _ in range(2):
        if _has_before(s.frames, chunk, at):
            chunk, at = previous_place(s.frames, chunk, at)
    if _has_before(s.frames, chunk, at):
        chunk, at = _first_alike(s, chunk, at)
    dependent.cursor_chunk, dependent.cursor_at = standing(s.frames, chunk, at)
    copy_window(dependent.found, dependent.forgotten)
    if _has_before(s.frames, chunk, at):
        _find_with_number(r, s, *previous_place(s.frames, chunk, at))


@inner
def _find_with_number(r, s, chunk, at):
    """The frame at a place as the window found, behind those before it with the same ends. One that is too short is no
    window, but stands in their order."""
    first_chunk, first_at = _first_alike(s, chunk, at)
    while True:
        frame = frame_at(s, first_chunk, first_at)
        is_window = _is_window(r, s, frame)
        if is_window:
            _find(r, frame)
        if first_chunk == chunk and first_at == at:
            if not is_window:
                _find(r, frame)
                r.dependent.found.number = BEHIND_ALL
            break
        first_chunk, first_at = next_place(s.frames, first_chunk, first_at)


@inner
def _has_before(frames, chunk, at):
    return frames.count > 0 and not (chunk == frames.first and at == 0)


@inner
def _first_alike(s, chunk, at):
    """The place of the first frame that has the same ends as the one at a place."""
    frame = frame_at(s, chunk, at)
    while _has_before(s.frames, chunk, at):
        before_chunk, before_at = previous_place(s.frames, chunk, at)
        before = frame_at(s, before_chunk, before_at)
        if before.first != frame.first or before.last != frame.last:
            break
        chunk, at = before_chunk, before_at
    return chunk, at


@inner
def _find(r, frame):
    """A frame as the window found; its number is 0 unless the one found before has the same ends."""
    found, window = r.dependent.found, CutWindow(r.window.address)
    set_ends(found, frame.first, end_of(window, frame))
    found.first, found.first_row, found.last, found.last_row = frame.first, frame.first_row, frame.last, frame.last_row
    found.held_row, found.closing_row = frame.last_row, NONE
    if window.passes_at_end:
        found.passes = found.end
        return
    found.closing_row = r.frames.closing_row(r.structure, frame)
    found.passes = FOREVER if found.closing_row == NONE else r.events.starts[found.closing_row]


@inner
def _closed_at(r, frame):
    row = r.frames.closing_row(r.structure, frame)
    return FOREVER if row == NONE else r.events.starts[row]


def go_on(r: Replay):
    dependent = r.dependent
    go_before(r, dependent.frontier.time, dependent.frontier.row)
    s = KeyFrames(r.structure)
    while dependent.cursor_chunk < s.frames.end:
        frame = frame_at(s, dependent.cursor_chunk, dependent.cursor_at)
        if not is_until(frame.last, frame.last_row, dependent.frontier.time, dependent.frontier.row):
            break
        if _is_window(r, s, frame):
            _find(r, frame)
        dependent.cursor_chunk, dependent.cursor_at = next_place(s.frames, dependent.cursor_chunk, dependent.cursor_at)


def next_window(r: Replay):
    s, dependent = KeyFrames(r.structure), r.dependent
    while dependent.cursor_chunk < s.frames.end:
        frame = frame_at(s, dependent.cursor_chunk, dependent.cursor_at)
        dependent.cursor_chunk, dependent.cursor_at = next_place(s.frames, dependent.cursor_chunk, dependent.cursor_at)
        if _is_window(r, s, frame):
            dependent.frame = frame
            _find(r, frame)
            return 1
        # Beyond a frame that is too short, once the watermark has passed it: only a late tuple can make it longer, and
        # that is compared (emitted.py).
        closed = _closed_at(r, frame)
        if closed != FOREVER and closed <= dependent.limit:
            move_up(dependent.frontier, frame.last, frame.last_row)
    return 0


@inner
def _is_window(r, s, frame):
    return s.rules.is_one == 0 or is_long_enough(s.rules, frame, events_of(r.frames.content(r.structure, frame)))


def state(r: Replay):
    return r.frames.content(r.structure, r.dependent.frame)


def forget(r: Replay, time):
    s, dependent = KeyFrames(r.structure), r.dependent
    copy_window(dependent.found, dependent.forgotten)
    chunk, at = standing(s.frames, s.frames.first, 0)
    while chunk < s.frames.end and _closed_at(r, frame_at(s, chunk, at)) < time:
        if _is_window(r, s, frame_at(s, chunk, at)):
            _find(r, frame_at(s, chunk, at))
        chunk, at = next_place(s.frames, chunk, at)
    copy_window(dependent.forgotten, dependent.found)
    r.frames.evict(r.structure, time)
    first = frame_at(s, s.frames.first, 0).first if s.frames.count > 0 else time
    drop_before(dependent.late, min(time, first))
    return s.frames.count


def least_row(r: Replay):
    return r.frames.least_row(r.structure)


def begins_anew(r: Replay):
    """Sessions end by themselves: none of those that ended before all that can still come. What closes another frame is
    the next tuple, so that one stays open for ever."""
    window, s = CutWindow(r.window.address), KeyFrames(r.structure)
    if window.ends_at_reach:
        return 1 if s.frames.count == 0 or last_frame(s).reach <= r.clock.floor else 0
    return 1 if window.passes_at_end and r.dependent.youngest + window.tail <= r.clock.floor else 0


def save(r: Replay, into, first):
    KeyFrames(r.structure).row_offset = first
    return r.frames.save(r.structure, into)


def load(r: Replay, saved, words, first):
    KeyFrames(r.structure).row_offset = first
    return r.frames.load(r.structure, saved, words, first, first + r.carried.kept[r.key])


frames_source = lazy_table(
    WindowSource,
    "frames_as_windows",
    *(start_key, take, take_run, close_burst, go_before, go_on, state, forget, least_row, begins_anew, save, load),
    next=next_window,
)
