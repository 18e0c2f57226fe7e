"""The state of one replay call: every compiled function takes its address and nothing else.

Replay ─┬─ clock, rows, stop, events, …   the same for every window kind
        ├─ logic ─▶ compiled functions    what the clock asks of windows: WindowLogic
        ├─ numbered                       what windows in closed form need, of panes, events and spans (numbered/)
        └─ dependent                      what windows that depend on their key's other events need (dependent/)
"""

from windrow.kernels.aggregators._dispatch import PointKernel
from windrow.kernels.bounds import KernelWindow, Pane
from windrow.kernels.frames._rules import FrameKernel
from windrow.kernels.replay.clock import Clock
from windrow.kernels.replay.dependent.state import Dependent, WindowSource
from windrow.kernels.replay.numbered.changed import Notes, Stretches
from windrow.kernels.replay.numbered.kept import KeptPanes
from windrow.kernels.replay.numbered.late_times import LateTimes
from windrow.kernels.replay.numbered.open_windows import OpenWindows
from windrow.kernels.replay.numbered.walk import Walk
from windrow.kernels.replay.rows import Rows
from windrow.kernels.replay.stop import Stop
from windrow.kernels.runtime.fields import (
    Address,
    Array,
    Code,
    Count,
    Flag,
    Inline,
    Microseconds,
    Place,
    Pointer,
    Ref,
    Word,
)
from windrow.kernels.runtime.growing import GrowingList
from windrow.kernels.runtime.memory import WORD_BYTES
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.spans._dispatch import SpanKernel
from windrow.kernels.states.layout import Events, StatePlan


class Placement(Struct):
    """How the events of numbered windows are held, and how windows get their states from them, r being the Replay; 0
    where a way needs none.

    panes  (points.py)     events that share all their windows are one entry of a kernel
    events (points.py)     each event time is an entry, and a window
    spans  (spans.py)       an event that lasts is in all windows that it meets, by a span kernel

    take_run(r, first, end) → row: take the events from `first` on that make no row by themselves, all at once
    take(r, row): the event of a row is compared with the watermark before its tick, goes into the kernel, and what it
        changes is noted
    close_burst(r, first, end) → number of the window that alone has a row of this burst; FOREVER: those noted have
    window_from(r, number) → the first window from that number on, FOREVER if there is none; 0: each number is one
    window_state(r, walk, number) → address of a window's aggregate, valid until the next call; to be lowered and
        nothing else unless open windows keep states
    late_events(r, number, state) → late events of a window that had no row when its end was reached; 0: all of them
    """

    take_run: Operation("Replay", Place, Place)
    take: Operation("Replay", Place)
    close_burst: Operation("Replay", Place, Place)
    window_from: Operation("Replay", Count)
    window_state: Operation("Replay", Walk, Count)
    late_events: Operation("Replay", Count, Address)


class WindowLogic(Struct):
    """What the clock asks of a key's windows (loop.py).

    start_key(r): before its first event
    save_key(r): behind its last step: what another replay goes on from
    take_run(r, first, end) → row: take the events from `first` on that make no row by themselves; 0: there is no such
    take_burst(r, first, end, tick): the events that arrived at one tick
    advance(r, step): the watermark moves on to the one before that step, which is behind the clock's
    """

    start_key: Operation("Replay")
    save_key: Operation("Replay")
    take_run: Operation("Replay", Place, Place)
    take_burst: Operation("Replay", Place, Place, Microseconds)
    advance: Operation("Replay", Place)


class EventHolder(Struct):
    """What is asked of the structure that holds a key's events alike, of whichever kernel it is, as that says it."""

    create: Operation(StatePlan, Word, Word)
    destroy: Operation(Address)
    reset: Operation(Address)
    oldest: Operation(Address)
    first_from: Operation(Address, Microseconds)
    evict: Operation(Address, Microseconds)
    is_empty: Operation(Address)


class KernelInUse(Struct):
    """A kernel that keys are replayed by, with the structure that holds the events of the key at hand, used key
    after key: of one `kernel` for points, or of `spans` where events last, and `kernel` then is what ends in its
    slices, if there are some, or of `frames` where tuples cut frames.

    structure: what its `create` made; made_of: what that takes behind the plan; logic: of the windows of its keys;
    source: of windows that depend on other events.
    """

    kernel: Ref(PointKernel)
    spans: Ref(SpanKernel)
    frames: Ref(FrameKernel)
    logic: Ref(WindowLogic)
    source: Ref(WindowSource)
    holder: Inline(EventHolder)
    made_of: Array(Word, 2)
    structure: Address


IN_USE_WORDS = KernelInUse.size_bytes // WORD_BYTES


class EventsByKey(Struct):
    """The events of all keys, in order of arrival within each; ends: only where events last; shares: how much of each
    counts in the pane at hand, where windows count shares, 0 elsewhere; ranks: places in the
    order of each key's tuples, where these trigger windows."""

    starts: Pointer(Microseconds)
    ends: Pointer(Microseconds)
    arrivals: Pointer(Microseconds)
    first_of_key: Pointer(Place)
    columns: Ref(Events)
    shares: Pointer(Word)
    ranks: Pointer(Place)


class Kernels(Struct):
    """The kernels of the run, and whose each key is; ascending and rows: of events of keys whose kernel needs them
    in order of time (kernels/ranks.py)."""

    count: Count
    in_use: Pointer(Inline(KernelInUse))
    of_key: Pointer(Place)
    ascending: Pointer(Microseconds)
    rows: Pointer(Place)


class Carried(Struct):
    """Of keys that go on from another replay, and from which another goes on. kept: how many of each key's rows are
    from there; words: what else is, that of key k between begins[k] and begins[k + 1]

    saved: the words of all keys, ends: where those of each end; firsts: the first row of each that goes along
    """

    is_wanted: Flag()
    kept: Pointer(Count)
    words: Pointer(Word)
    begins: Pointer(Place)
    saved: Inline(GrowingList)
    ends: Pointer(Place)
    firsts: Pointer(Place)


class Numbered(Struct):
    """Of windows that have numbers. pane: the one looked up last; passing, finishing, changing: walks over the windows
    that the watermark passes, that become final, and that a burst changed; goes_behind: whether an event may be
    combined behind all that has come, since aggregates commute or the key's events are in order."""

    placement: Ref(Placement)
    goes_behind: Flag()
    pane: Inline(Pane)
    passing: Inline(Walk)
    finishing: Inline(Walk)
    changing: Inline(Walk)
    least_patience: Count
    open: Inline(OpenWindows)
    changed: Inline(Notes)
    stretches: Inline(Stretches)
    late_times: Inline(LateTimes)
    kept: Inline(KeptPanes)
    burst_youngest: Microseconds


class Replay(KernelInUse):
    """It begins with a copy of the kernel that the key at hand was given. state: of the event at hand."""

    clock: Inline(Clock)
    rows: Inline(Rows)
    stop: Inline(Stop)
    events: Inline(EventsByKey)
    plan: Ref(StatePlan)
    emit: Code
    key: Place
    window: Ref(KernelWindow)
    kernels: Inline(Kernels)
    state: Address
    numbered: Inline(Numbered)
    dependent: Inline(Dependent)
    carried: Inline(Carried)
