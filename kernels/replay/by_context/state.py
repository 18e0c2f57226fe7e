"""What a replay of context-bound windows keeps of the key at hand.

emitted   [1, 5) r0 · [7, 9) r0 · …        in the windows' order (emitted.py)
late      4 at watermark 6 · …             tuples that came when the watermark had passed them
frontier  8                                the last tuple of the last window that the watermark has passed
"""

from kernels.frames._ordered import Ordered, release_ordered
from kernels.frames._rules import Frame
from kernels.replay.by_context.found import FoundWindow
from kernels.replay.by_context.in_time_order import InTimeOrder, release_in_order
from kernels.replay.by_context.progress import TupleWalk
from kernels.replay.growing import GrowingQueue, release_list
from kernels.runtime.fields import Count, Inline, Microseconds, Place, Pointer, Ref, Word
from kernels.runtime.memory import inner
from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation


class WindowSource(Struct):
    """What is asked of the tuples of a key, r being the Replay. A tuple's place is its (time, row).

    start_key(r): there are none
    take(r, row) → 1 if the tuple counts
    take_run(r, first, end) → row: take some rows from the first on, which are in order of time and behind all tuples,
        and after which no window passes that wasn't there before; derived.next_passes is set; 0: there is no such way
    close_burst(r): behind the tuples of a tick
    go_before(r, time, row): stand before the first window that a tuple of that place can belong to, or change;
        r.derived.found is then the window before, that forgotten last if none is kept
    go_on(r): stand behind the last window that was passed
    next(r) → 1: r.derived.found is the next window; 0: there is none
    go_back(r): stand before the window found; of go_on the next one begins there
    state(r) → address of the aggregates of the window found, valid until the next operation
    late(r) → how many of its events came when the watermark had reached its end
    forget(r, time): what no window needs any more that can still have rows, since no tuple comes before the time.
        Returns how many tuples, or frames, are left
    least_row(r) → the least row of its tuples, −1 if it has none
    begins_anew(r) → 1: all that can still come will find it as if no tuple had come yet
    save(r, into, first) → words of what it holds, rows counted from `first` on; written unless `into` is 0
    load(r, saved, words, first) → 1: it has what was saved, when there are no tuples yet; 0: that isn't what stands in
        so many words, or it names rows that aren't kept
    """

    start_key: Operation()
    take: Operation()
    take_run: Operation()
    close_burst: Operation()
    go_before: Operation()
    go_on: Operation()
    next: Operation()
    go_back: Operation()
    state: Operation()
    late: Operation()
    forget: Operation()
    least_row: Operation()
    begins_anew: Operation()
    save: Operation()
    load: Operation()


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


class EmittedWindows(GrowingQueue):
    """In order of (start, end, number); those that are gone are final."""

    first: Pointer(Inline(EmittedWindow))


class Derived(Struct):
    """emitted: newest rows; closed: of windows that are no more. late: late tuples, the watermark before their tick in
    the entry's word. burst_row: the first row of the tick at hand. changed_from … changed_to_row: places: windows whose
    last tuple is before the one, or whose first is behind the other, are as they were before the burst.

    limit: up to which `passes` windows have rows now
    next_passes: no window behind the frontier passes before the watermark reaches that; youngest: time of the newest
    tuple; run_rows: how many rows are looked at for the next run
    cursor_chunk, cursor_at: where the source stands; frame: of the window found, if it is one
    walk: over tuples that trigger windows; forgotten: the last window that the source has let go of
    kept, taken: tuples that were left when it was last asked to forget, and how many have come since;
        least_forgotten: how many must have come before it is asked again, and at least so many as were left
    earliest, latest, pane_row, rows_before: of windows by arrival (by_arrival.py); in_order: their rows by time
    refused, refused_row: why the source couldn't take a tuple, and which; 0: it could
    """

    source: Ref(WindowSource)
    emitted: Inline(EmittedWindows)
    closed: Inline(EmittedWindows)
    late: Inline(Ordered)
    found: Inline(FoundWindow)
    forgotten: Inline(FoundWindow)
    frontier: Microseconds
    frontier_row: Place
    limit: Microseconds
    next_passes: Microseconds
    youngest: Microseconds
    run_rows: Count
    burst_row: Place
    taken: Count
    least_forgotten: Count
    changed_from: Microseconds
    changed_from_row: Place
    changed_to: Microseconds
    changed_to_row: Place
    cursor_chunk: Place
    cursor_at: Place
    frame: Ref(Frame)
    walk: Inline(TupleWalk)
    kept: Count
    earliest: Inline(GrowingQueue)
    latest: Inline(GrowingQueue)
    pane_row: Place
    rows_before: Count
    in_order: Inline(InTimeOrder)
    refused: Word
    refused_row: Place


@inner
def release_derived(derived):
    """Give all memory back."""
    release_list(derived.emitted)
    release_list(derived.closed)
    release_list(derived.earliest)
    release_list(derived.latest)
    release_in_order(derived.in_order)
    release_ordered(derived.late)
    release_ordered(derived.walk.tuples)
