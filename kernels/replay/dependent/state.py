"""What a replay of context-bound windows keeps of the key at hand.

emitted   [1, 5) r0 · [7, 9) r0 · …        in the windows' order (emitted.py)
late      4 at watermark 6 · …             tuples that came when the watermark had passed them
frontier  8                                the last tuple of the last window that the watermark has passed
"""

from windrow.kernels.frames._frames import is_until
from windrow.kernels.frames._ordered import Ordered
from windrow.kernels.frames._rules import Frame
from windrow.kernels.replay.clock import NEVER
from windrow.kernels.runtime.fields import Address, Count, Flag, Float, Inline, Microseconds, Place, Pointer, Ref, Word
from windrow.kernels.runtime.growing import GrowingList
from windrow.kernels.runtime.memory import WORD_BYTES, inner, move
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct


class FoundWindow(Struct):
    """A window of a key, as it is now. number: among those of the same start and end, in their order.

    passes: the watermark that passes it; FOREVER: it is still open
    closing_row: of the tuple that closed it, −1 if none had to
    first … last_row: the places of its first tuple, and of its last one or the one that triggered it
    held_row: of the last tuple that is in it
    digest: of the rows that are in it, where these aren't all from its first to its last
    """

    start: Microseconds
    end: Microseconds
    number: Count
    passes: Microseconds
    closing_row: Place
    first: Microseconds
    first_row: Place
    last: Microseconds
    last_row: Place
    held_row: Place
    digest: Word


FOUND_WORDS = FoundWindow.size_bytes // WORD_BYTES


@inner
def copy_window(into, window):
    move(into.address, window.address, FOUND_WORDS)


class TuplePlace(Struct):
    """Where a tuple stands in its key's order."""

    time: Microseconds
    row: Place


@inner
def set_place(place, time, row):
    place.time, place.row = time, row


@inner
def move_up(place, time, row):
    """To there, but not back."""
    if is_until(place.time, place.row, time, row):
        place.time, place.row = time, row


@inner
def find_none(found):
    found.start = found.end = found.passes = found.first = found.last = NEVER
    found.number = found.closing_row = found.first_row = found.last_row = found.held_row = -1
    found.digest = 0


@inner
def set_ends(found, start, end):
    """The window behind the one found has these ends: its number is 0 unless they are the same."""
    is_alike = found.start == start and found.end == end and found.number >= 0
    found.number = found.number + 1 if is_alike else 0
    found.start, found.end = start, end


@inner
def move_rows(found, by):
    found.first_row, found.last_row, found.held_row = found.first_row + by, found.last_row + by, found.held_row + by


class WalkProgress(Struct):
    """How far a walk over a key's tuples has come (triggered.py): behind the tuple (time, row), `tuples` of them in
    all; windows: how many were triggered, the last of them is `window`. tail, tail_row: up to that tuple, the
    tail_tuples-th, no window needs any from here on. marker: of delta windows, if has_marker; least: the least value in
    the last of them."""

    time: Microseconds
    row: Place
    tuples: Count
    windows: Count
    tail: Microseconds
    tail_row: Place
    tail_tuples: Count
    marker: Float("value")
    has_marker: Flag()
    least: Float("value")
    window: Inline(FoundWindow)


PROGRESS_WORDS = WalkProgress.size_bytes // WORD_BYTES


@inner
def start_progress(progress):
    progress.time = progress.tail = NEVER
    progress.row = progress.tail_row = -1
    progress.tuples = progress.windows = progress.tail_tuples = 0
    progress.marker, progress.has_marker, progress.least = 0.0, False, 0.0
    find_none(progress.window)


@inner
def copy_progress(into, progress):
    move(into.address, progress.address, PROGRESS_WORDS)


@inner
def move_progress_rows(progress, by):
    progress.row, progress.tail_row = progress.row + by, progress.tail_row + by
    move_rows(progress.window, by)


class TupleWalk(Struct):
    """tuples: an entry for each, its word the value that triggers, if windows have one. here: where the walk is, whose
    next tuple is at the cursor and whose tail ends before (tail_chunk, tail_at); before: where it was one tuple ago;
    stays: whether both still hold; base: behind it no tuple comes any more.

    policy_panes: what a policy looks at, by ranks; policy_state: room for a tuple's
    """

    tuples: Inline(Ordered)
    here: Inline(WalkProgress)
    before: Inline(WalkProgress)
    base: Inline(WalkProgress)
    stays: Flag()
    tail_chunk: Place
    tail_at: Place
    policy_panes: Address
    policy_state: Address


class WindowSource(Struct):
    """What is asked of the tuples of a key, r being the Replay. A tuple's place is its (time, row).

    start_key(r): there are none
    take(r, row) → 1 if the tuple counts
    take_run(r, first, end) → row: take some rows from the first on, which are in order of time and behind all tuples,
        and after which no window passes that wasn't there before; dependent.next_passes is set; 0: there is no such way
    close_burst(r): behind the tuples of a tick; 0: each is in its place
    go_before(r, time, row): stand before the first window that a tuple of that place can belong to, or change;
        r.dependent.found is then the window before, that forgotten last if none is kept
    go_on(r): stand behind the last window that was passed
    next(r) → 1: r.dependent.found is the next window; 0: there is none
    go_back(r): stand before the window found; of go_on the next one begins there; 0: that finds it anew
    state(r) → address of the aggregates of the window found, valid until the next operation
    forget(r, time): what no window needs any more that can still have rows, since no tuple comes before the time.
        Returns how many tuples, or frames, are left
    least_row(r) → the least row of its tuples, −1 if it has none
    begins_anew(r) → 1: all that can still come will find it as if no tuple had come yet; 0: that never is so, since
        what is a window depends on all tuples that came before
    save(r, into, first) → words of what it holds, rows counted from `first` on; written unless `into` is 0
    load(r, saved, words, first) → 1: it has what was saved, when there are no tuples yet; 0: that isn't what stands in
        so many words, or it names rows that aren't kept
    """

    start_key: Operation("Replay")
    take: Operation("Replay", Place)
    take_run: Operation("Replay", Place, Place)
    close_burst: Operation("Replay")
    go_before: Operation("Replay", Microseconds, Place)
    go_on: Operation("Replay")
    next: Operation("Replay")
    go_back: Operation("Replay")
    state: Operation("Replay")
    forget: Operation("Replay", Microseconds)
    least_row: Operation("Replay")
    begins_anew: Operation("Replay")
    save: Operation("Replay", Address, Place)
    load: Operation("Replay", Address, Count, Place)


class EmittedWindow(Struct):
    """The newest row of a window: its revision, and the events that it covered; 0: it is no more."""

    start: Microseconds
    end: Microseconds
    number: Count
    revision: Count
    events: Count
    first_row: Place
    held_row: Place
    digest: Word


class EmittedWindows(GrowingList):
    """In order of (start, end, number); those that are final are gone, once in a while."""

    first: Pointer(Inline(EmittedWindow))


class RowsByArrival(Struct):
    """Of count windows in order of arrival (by_arrival.py). pane_row: the first row since the last edge, next_edge: the
    one behind the next; rows_before: of the key, in earlier replays
    held_first … held_end: the rows that the kernel holds, where aggregates depend on order
    kept: how many windows were left when those that no other is counted with were last forgotten
    """

    pane_row: Place
    next_edge: Place
    rows_before: Count
    held_first: Place
    held_end: Place
    kept: Count


class KeyProgress(Struct):
    """What is carried on of a key, but for its lists and its source. youngest: time of the newest tuple; forgotten: the
    last window that the source has let go of."""

    frontier: Inline(TuplePlace)
    youngest: Microseconds
    forgotten: Inline(FoundWindow)


KEY_PROGRESS_WORDS = KeyProgress.size_bytes // WORD_BYTES


@inner
def copy_key_progress(into, progress, by):
    """With rows counted from elsewhere."""
    move(into.address, progress.address, KEY_PROGRESS_WORDS)
    into.frontier.row += by
    move_rows(into.forgotten, by)


class Dependent(KeyProgress):
    """emitted: newest rows; closed: of windows that are no more. late: late tuples, the watermark before their tick in
    the entry's word. burst_row: the first row of the tick at hand. changed_from, changed_to: windows whose last tuple
    is before the one, or whose first is behind the other, are as they were before the burst.

    limit: up to which `passes` windows have rows now
    next_passes: no window behind the frontier passes before the watermark reaches that
    run_rows: how many rows are looked at for the next run
    cursor_chunk, cursor_at: where the source stands
    frame: the window found, if it is a frame
    walk: over tuples that trigger windows; state: room for the aggregate of one that holds some of them
    holds(r, row) → 1: the window found has a tuple that stands between its first and its last; 0: it has all of these
    kept, taken: tuples that were left when the source was last asked to forget, and how many have come since;
        least_forgotten: how many must have come before it is asked again, and at least so many as were left
    refused, refused_row: why the source couldn't take a tuple, and which; 0: it could
    """

    emitted: Inline(EmittedWindows)
    closed: Inline(EmittedWindows)
    late: Inline(Ordered)
    holds: Operation("Replay", Place)
    found: Inline(FoundWindow)
    limit: Microseconds
    next_passes: Microseconds
    run_rows: Count
    burst_row: Place
    kept: Count
    taken: Count
    least_forgotten: Count
    changed_from: Inline(TuplePlace)
    changed_to: Inline(TuplePlace)
    cursor_chunk: Place
    cursor_at: Place
    frame: Ref(Frame)
    walk: Inline(TupleWalk)
    state: Address
    by_arrival: Inline(RowsByArrival)
    refused: Word
    refused_row: Place
