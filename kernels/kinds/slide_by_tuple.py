"""Slide-by-tuple windows: every so many tuples of a key, those of the last time, both ends included (FARM §2.2.3).

size 4, step 2        tuples  1  2  7  9        windows [-2, 2]: 1 2    [5, 9]: 7 9
"""

from windrow.kernels.bounds import require_length
from windrow.kernels.frames._ordered import OrderedEntry
from windrow.kernels.frames._rules import within
from windrow.kernels.kinds._dependent import TriggeredKind, tuple_window
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.dependent.triggered import TupleWindow, move_tail, tail_entry, trigger
from windrow.kernels.runtime.tables import lazy_table


def step(r: Replay, entry: OrderedEntry):
    window, walk = TupleWindow(r.window.address), r.dependent.walk
    low = entry.time - window.size
    while tail_entry(walk).time < low:
        move_tail(walk)
    if walk.here.tuples % window.every != 0:
        return 0
    trigger(walk.here, (low, entry.time + 1), tail_entry(walk), entry)
    return 1


steps = lazy_table(TupleWindow, "slide_by_tuple_steps", step)


class SlideByTupleKind(TriggeredKind):
    """Windows that end with a tuple."""

    def make(self, spec, extent):
        asked = spec.asked
        require_length("size", asked.size_us)
        return tuple_window(TupleWindow, steps(), size=asked.size_us, every=within("step", asked.step))


KIND = SlideByTupleKind()
