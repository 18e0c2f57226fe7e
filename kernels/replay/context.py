"""The state of one replay call: every compiled function takes its address and nothing else.

Replay ─┬─ clock, rows, stop              the same for every window kind
        ├─ logic ─▶ compiled functions    what the clock asks of windows (placement.py)
        ├─ window, placement, panes, walks, open windows: what numbered windows need
        └─ window, derived: what context-bound windows need (by_context/)
"""

from kernels.aggregators._dispatch import PointKernel
from kernels.frames._rules import FrameKernel
from kernels.replay.by_context.state import Derived, WindowSource
from kernels.replay.clock import Clock
from kernels.replay.growing import GrowingList
from kernels.replay.late_times import LateTimes
from kernels.replay.open_windows import OpenWindows
from kernels.replay.placement import Placement, WindowLogic
from kernels.replay.rows import Rows
from kernels.replay.stop import Stop
from kernels.replay.stretches import Stretches
from kernels.replay.walk import Walk
from kernels.runtime.fields import Address, Code, Count, Flag, Inline, Microseconds, Place, Pointer, Ref, Word
from kernels.runtime.struct import Struct
from kernels.spans._dispatch import SpanKernel
from kernels.states.layout import Events, StatePlan
from kernels.windows._window import Pane, Window


class KernelInUse(Struct):
    """A kernel that keys are replayed by, with its structure, used key after key. logic: of the windows of its keys;
    option: of its `create`; spans: where events last, and `kernel` then is what ends in slices, if there are some;
    frames: where tuples cut frames; source: of windows that depend on other events."""

    kernel: Ref(PointKernel)
    spans: Ref(SpanKernel)
    frames: Ref(FrameKernel)
    logic: Ref(WindowLogic)
    source: Ref(WindowSource)
    option: Count
    panes: Address


class Note(Struct):
    """Windows first … last changed at the tick at hand, by the event of that row."""

    first: Word
    last: Word
    row: Place


class Notes(GrowingList):
    first: Pointer(Inline(Note))


class EventsByKey(Struct):
    """The events of all keys, in order of arrival within each; ends: only where events last; shares: how much of each
    counts in the pane at hand, where windows count shares, 0 elsewhere; ranks: places in the order
    of each key's tuples, where these trigger windows."""

    starts: Pointer(Microseconds)
    ends: Pointer(Microseconds)
    arrivals: Pointer(Microseconds)
    first_of_key: Pointer(Place)
    columns: Ref(Events)
    shares: Pointer(Word)
    ranks: Pointer(Place)
    last: Flag()


class Kernels(Struct):
    """The kernels of the run, and whose each key is; ascending and rows: of events of keys whose kernel needs them
    in order of time (kernels/ranks/sort.py)."""

    count: Count
    in_use: Pointer(Inline(KernelInUse))
    of_key: Pointer(Place)
    ascending: Pointer(Microseconds)
    rows: Pointer(Place)


class Carried(Struct):
    """Of keys that go on from another replay. kept: how many of each key's rows are from there; words: addresses of
    what else is, 0 of a key of which nothing is, and lengths: how many words that are; columns: of values.

    is_wanted: whether another one goes on from here; saved: the words of all keys, ends: where those of each end
    """

    kept: Pointer(Count)
    words: Pointer(Address)
    lengths: Pointer(Count)
    columns: Count
    is_wanted: Flag()
    saved: Inline(GrowingList)
    ends: Pointer(Word)


class Replay(Struct):
    """state: of the event at hand; goes_behind: whether an event may be
    combined behind all that has come, since aggregates commute or the key's events are in order."""

    clock: Inline(Clock)
    rows: Inline(Rows)
    stop: Inline(Stop)
    logic: Ref(WindowLogic)
    events: Inline(EventsByKey)
    plan: Ref(StatePlan)
    emit: Code
    key: Place
    window: Ref(Window)
    placement: Ref(Placement)
    kernels: Inline(Kernels)
    kernel: Ref(PointKernel)
    spans: Ref(SpanKernel)
    frames: Ref(FrameKernel)
    panes: Address
    goes_behind: Flag()
    state: Address
    pane: Inline(Pane)
    passing: Inline(Walk)
    finishing: Inline(Walk)
    changing: Inline(Walk)
    least_patience: Count
    open: Inline(OpenWindows)
    changed: Inline(Notes)
    stretches: Inline(Stretches)
    late_times: Inline(LateTimes)
    burst_youngest: Microseconds
    derived: Inline(Derived)
    carried: Inline(Carried)
