"""How the events of numbered windows are held, and how windows get their states from them: a table per way.

panes  (regular.py)            events that share all their windows are one entry of a kernel
events (rolling.py)            each event time is an entry, and a window
spans  (spans.py)              an event that lasts is in all windows that it meets, by a span kernel
"""

from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation


class Placement(Struct):
    """The operations, r being the Replay; 0 where a way needs none.

    take_run(r, first, end) → row: take the events from `first` on that make no row by themselves, all at once
    take(r, row): the event of a row is compared with the watermark before its tick, goes into the kernel, and what it
        changes is noted
    close_burst(r, first, end) → number of the window that alone has a row of this burst; FOREVER: those noted have
    window_from(r, number) → the first window from that number on, FOREVER if there is none; 0: each number is one
    window_state(r, walk, number) → address of a window's aggregate, valid until the next call; to be lowered and
        nothing else unless open windows keep states
    late_events(r, number, state) → late events of a window that had no row when its end was reached; 0: all of them
    oldest(r) → time of the oldest entry; there is one. first_from(r, time) → of the first from then on, or FOREVER
    evict(r, time): what lies up to that time; is_empty(r) → 1 or 0
    """

    take_run: Operation()
    take: Operation()
    close_burst: Operation()
    window_from: Operation()
    window_state: Operation()
    late_events: Operation()
    oldest: Operation()
    first_from: Operation()
    evict: Operation()
    is_empty: Operation()


class WindowLogic(Struct):
    """What the clock asks of a key's windows (loop.py); numbered.py is the logic of windows in closed form.

    start_key(r), end_key(r): before its first event, behind its last step
    take_run(r, first, end) → row: take the events from `first` on that make no row by themselves; 0: there is no such
    take_burst(r, first, end, tick): the events that arrived at one tick
    advance(r, step): the watermark moves on to the one before that step
    """

    start_key: Operation()
    end_key: Operation()
    take_run: Operation()
    take_burst: Operation()
    advance: Operation()
